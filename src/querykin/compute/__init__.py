"""Array types, JIT-compiled kernels and threads."""
