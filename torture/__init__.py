"""Tests that take hours: kills, damaged files, power loss, hostile input, long service. `python -m torture`."""
