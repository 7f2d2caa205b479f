"""Evaluation of measures on judged files: pairs, pools and runs."""
