"""Query / landing-page pairs scored by learned term weights (Yih 2009, section 4.2)."""
