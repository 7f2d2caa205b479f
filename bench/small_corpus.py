"""A corpus of 36 short documents with as many queries, for benchmarks of commands."""

import json
from itertools import product
from pathlib import Path

SUBJECTS = ("stone bridge", "wooden bridge", "steam engine", "water mill", "city wall", "fishing boat")
PLACES = ("old town", "river valley", "harbor", "mountain village", "capital", "northern coast")
TEXTS = [f"{subject} of the {place}" for subject, place in product(SUBJECTS, PLACES)]


def write(folder: Path) -> None:
    """Write `documents.jsonl` and `queries.txt`."""
    documents = (
        {"id": str(number), "title": text, "text": f"The {text} is old. A {text} was built by hand."}
        for number, text in enumerate(TEXTS)
    )
    (folder / "documents.jsonl").write_text("\n".join(map(json.dumps, documents)), "utf-8")
    (folder / "queries.txt").write_text("\n".join(TEXTS), "utf-8")
