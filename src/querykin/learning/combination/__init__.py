"""Combinations of several measures, learned from judged pairs (Yih & Meek 2007)."""
