"""The algorithms, one file each: the problem a step solves, its State, the rule, the bounds."""
