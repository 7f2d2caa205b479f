"""The command line; each command parses its options, makes one library call and prints the result."""

from querykin.cli.main import main

__all__ = ["main"]
