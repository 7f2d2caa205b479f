"""Dense embeddings of texts by third-party models."""
