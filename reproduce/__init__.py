"""The tables and claims of the papers on real data: `python -m reproduce` runs all of it."""
