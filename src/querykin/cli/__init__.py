"""The command line: each command is parse, one library call, print."""

from querykin.cli.main import main

__all__ = ["main"]
