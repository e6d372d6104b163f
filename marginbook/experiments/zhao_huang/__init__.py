"""Zhao and Huang, Simple Online Learning with Approximate Max Margin and Fast Convergence (AMIRA)."""

from marginbook.experiments.zhao_huang.synthetic import FIGURE_2, FIGURE_3A, FIGURE_3B

RECORDS = (FIGURE_2, FIGURE_3A, FIGURE_3B)
