"""Term weights of expanded texts: TF-IDF vectors, term frequencies and features of terms."""
