"""Background jobs of the service: long work in a child process, one at a time, with a record on disk."""
