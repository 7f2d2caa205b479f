"""Past queries: the repository, mining queries from a corpus, document frequencies of query words."""
