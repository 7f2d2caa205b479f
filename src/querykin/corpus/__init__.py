"""What do we know? Documents as token ids, and their statistics."""
