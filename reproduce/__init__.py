"""Reproduction of the tables and claims of the papers on real data: `python -m reproduce`."""
