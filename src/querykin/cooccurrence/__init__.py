"""Co-occurrence counts of words and phrases, association weights and latent vectors."""
