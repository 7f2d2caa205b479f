"""Batch work in tasks: in this process, in several processes, or on a Spark cluster."""
