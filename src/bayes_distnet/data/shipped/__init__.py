"""Real runs that come with the package, one folder per data set."""
