"""Compare the outputs of two checkouts of querykin.

`python -m reproduce.compare_checkouts BEFORE AFTER [--data | --only-data] [--keep DIR]`

BEFORE and AFTER are folders of checkouts that hold `.venv/bin/querykin`. Both are used through the command line only,
so their modules and classes may have different names. Each checkout builds its own workspaces: the demo corpus and,
with `--data`, Simple English Wikipedia with real web queries (`reproduce.data` locates the files). The same commands
run on both. Exit codes, keys, texts and their order must be equal. Numbers may differ by `TOLERANCE`, relative to the
larger of the two where that is above 1. Scores are printed with nine decimals, so a difference of one unit in the
last place is accepted.

The two checkouts run each command at the same time. Progress goes to stderr. The exit code is 1 when any output
differs, or when a command fails that should not. Workspaces are deleted at the end unless `--keep` names a folder for them.
"""
