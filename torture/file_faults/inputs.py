"""Small input files for every command that writes: documents, queries, sessions, judged pairs, gold keywords."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

_TOPICS = {
    "rocket": ("engine", "orbit", "launch", "moon", "probe", "telescope", "astronaut", "satellite"),
    "garden": ("hose", "rose", "tulip", "spade", "hedge", "lawn", "seed", "compost"),
    "kitchen": ("oven", "bread", "soup", "pan", "butter", "apple", "knife", "recipe"),
    "harbour": ("ship", "crane", "sailor", "anchor", "tide", "pier", "cargo", "captain"),
    "music": ("violin", "piano", "concert", "melody", "singer", "choir", "guitar", "rhythm"),
}
PAIRS = [(f"{topic} {words[0]}", f"{topic} {words[1]}", words) for topic, words in _TOPICS.items()]


def write_inputs(folder: Path) -> None:
    """Write all files that the commands read."""
    documents = list(_documents())
    _write_json_lines(folder / "documents.jsonl", documents[:24])
    _write_json_lines(folder / "more.jsonl", documents[20:32])  # four of them replace others
    _write_json_lines(folder / "replacement" / "documents.jsonl", documents[8:30])
    _write_json_lines(folder / "folder" / "a.jsonl", documents[:12])
    _write_json_lines(folder / "folder" / "deep" / "b.jsonl", documents[12:30])
    queries = [(f"{topic} {word}", len(word)) for topic, words in _TOPICS.items() for word in words]
    _write_rows(folder / "queries.tsv", queries[:24])
    _write_rows(folder / "more-queries.tsv", queries[18:34])
    _write_rows(folder / "keywords.tsv", [*queries[5:25], ("hoses garden", 3), ("garden hoses", 1)])
    _write_rows(folder / "sessions.tsv", [("session", "time", "query", "url"), *_sessions(0, 12)])
    _write_rows(folder / "more-sessions.tsv", [("session", "time", "query", "url"), *_sessions(12, 20)])
    _write_rows(folder / "judged.tsv", [("query", "candidate", "grade"), *_judged()])
    gold = [{**each, "keywords": [each["title"].split()[1]]} for each in documents[:20]]
    _write_json_lines(folder / "gold.jsonl", gold)


def _documents() -> list[dict[str, str]]:
    found = []
    for topic, words in _TOPICS.items():
        for number, word in enumerate(words):
            near, far = words[(number + 1) % len(words)], words[(number + 3) % len(words)]
            text = f"The {word} of the {topic} is near the {near}, and it was made for the {far}. "
            text += f"Every {topic} has a {word}; a {near} is what you see with it."
            found.append({"id": f"{topic}-{number}", "title": f"{topic} {word}", "text": text})
    return sorted(found, key=lambda each: each["id"][::-1])  # topics mixed


def _sessions(first: int, end: int) -> list[tuple[object, ...]]:
    """Sessions of three queries on one topic, which four of five sessions share."""
    topics = list(_TOPICS.items())
    rows: list[tuple[object, ...]] = []
    for session in range(first, end):
        topic, words = topics[session % 3 if session % 5 else 4]
        for number, word in enumerate(words[session % 2 : session % 2 + 3]):
            rows.append((session, 60 * number, f"{topic} {word}", f"/{topic}-{number}"))
    return rows


def _judged() -> list[tuple[str, str, int]]:
    rows = []
    for topic, words in _TOPICS.items():
        for other, others in _TOPICS.items():
            grade = 3 if topic == other else 0
            rows += [
                (f"{topic} {word}", f"{other} {others[n + 1]}", grade) for n, word in enumerate(words[:3])
            ]
    return rows


def _write_json_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _write_rows(path: Path, rows: Sequence[tuple[object, ...]]) -> None:
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), "utf-8")
