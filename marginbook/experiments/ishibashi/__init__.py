"""Ishibashi, Hatano and Takeda, Online Learning of Approximate Maximum p-Norm Margin Classifiers (PUMMA)."""

from marginbook.experiments.ishibashi.curves import FIGURE_3, FIGURE_4
from marginbook.experiments.ishibashi.margins import TABLE_1

RECORDS = (FIGURE_3, FIGURE_4, TABLE_1)
