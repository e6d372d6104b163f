"""Zhao and Huang, Simple Online Learning with Approximate Max Margin and Fast Convergence (AMIRA)."""

from marginbook.experiments.zhao_huang.images import TABLE_2, TABLE_3
from marginbook.experiments.zhao_huang.rates import TABLE_1
from marginbook.experiments.zhao_huang.synthetic import FIGURE_2, FIGURE_3A, FIGURE_3B

RECORDS = (TABLE_1, TABLE_2, TABLE_3, FIGURE_2, FIGURE_3A, FIGURE_3B)
