"""Benchmarks of querykin and of comparable tools, in one process and on the same rows."""
