"""Input and output: document formats, tables, query files, judgements, qrels and runs."""
