"""Search over the corpus: first-stage retrieval, BM25 ranking, passage windows and query expansion."""
