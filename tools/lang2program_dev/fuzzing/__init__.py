"""Random programs on random worlds: whether the two executors ever differ."""
