"""Faults of the disk below a workspace: operations that fail, kills at any of them, and loss of power."""
