"""Array types, compiled kernels and threads."""
