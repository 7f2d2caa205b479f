"""Which are nearest? Exact search over the rows of a repository."""
