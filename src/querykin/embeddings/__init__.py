"""What do other people's models say? Texts as dense vectors."""
