"""Tokenization, normalization, stemming and stop words."""
