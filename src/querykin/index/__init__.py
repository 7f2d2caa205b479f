"""Indexes of the candidates' rows, and exact top-k search over them."""
