"""Where to spend the next runs: which instances, how many seeds, under which cutoff."""
