"""Retrieval of candidate queries, suggestions and diversity filters."""
