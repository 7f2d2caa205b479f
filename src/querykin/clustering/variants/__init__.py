"""Variants of one query: the same words in another order, form, spelling or spacing."""
