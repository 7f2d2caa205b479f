"""Keyword extraction (Yih, Goodman & Carvalho 2006) and the measure web-relevance (Yih & Meek 2007)."""
