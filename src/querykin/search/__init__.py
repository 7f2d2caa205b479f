"""Search engines over the corpus: first-stage retrieval, BM25 ranking, windows and query expansion."""
