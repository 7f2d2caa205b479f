"""Files in and out: tables, query files, judgements, qrels and runs."""
