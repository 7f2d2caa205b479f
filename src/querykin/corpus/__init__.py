"""The corpus: documents as token ids, and their statistics."""
