"""Term weights learned from judged pairs: TWEAK (Yih 2009)."""
