"""Tsampouka and Shawe-Taylor, Approximate Maximum Margin Algorithms Controlled by the Number of Mistakes."""

from marginbook.experiments.tsampouka import times, updates

RECORDS = updates.RECORDS + times.RECORDS
