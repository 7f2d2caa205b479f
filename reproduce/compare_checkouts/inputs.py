"""Texts and files that the commands read."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice, product
from pathlib import Path
from zlib import crc32

# Phrases by topic. Pairs within a topic are graded 2 or 1, pairs with the next topic 0.
TOPICS = {
    "space": ["space exploration", "solar system", "moon landing", "space telescope", "orbit of a planet"],
    "music": ["classical music", "string quartet", "opera singer", "jazz piano", "rock band"],
    "war": ["world war", "nuclear weapon", "peace treaty", "civil war battle", "army general"],
    "sport": ["football player", "olympic games", "tennis tournament", "world cup", "basketball team"],
    "biology": ["cell membrane", "human evolution", "dna sequence", "species of birds", "plant growth"],
    "rivers": ["longest river", "ancient rome", "capital of France", "mountain range", "city on the coast"],
    "computers": [
        "computer science",
        "programming language",
        "web browser",
        "artificial intelligence",
        "java",
    ],
    "money": ["stock market", "central bank", "tax on income", "car company", "oil price"],
}
EDGE_CASES = [
    "",
    "zzyzx qwxyz",
    "Solar  SYSTEM",
    "naïve café",
    "the of and",
    "c++",
    '"space station" nasa',
    "a",
    "東京",
    "energy energy energy",
]
PAIRS = [
    ("space exploration", "NASA"),
    ("java island", "Indonesia"),
    ("apple", "apple"),
    ("solar energy", ""),
    ("zzyzx", "planet"),
    ("Kofi Annan", "UN Secretary-General"),
    ("the", "of"),
    ("Bill Gates", "Microsoft founder"),
    ("chess player", "players of chess"),
    ("naïve café", "naive cafe"),
]
PHRASES = [phrase for topic in TOPICS.values() for phrase in topic]


def judged_topics() -> Iterator[str]:
    """Judged pairs of phrases, as lines of TSV."""
    yield "query\tcandidate\tgrade"
    topics = list(TOPICS.values())
    for number, topic in enumerate(topics):
        for query, candidate in product(topic, topic):
            if query != candidate:
                yield f"{query}\t{candidate}\t{1 + crc32(f'{query} {candidate}'.encode()) % 2}"
        for query, candidate in product(topic, topics[(number + 1) % len(topics)]):
            yield f"{query}\t{candidate}\t0"


def raters() -> Iterator[str]:
    """The same pairs judged by three raters, who give the grade or, by a fixed rule, another one."""
    yield "query\tcandidate\tgrade\trater"
    for line in islice(judged_topics(), 1, None):
        query, candidate, grade = line.split("\t")
        for rater in "abc":
            noise = crc32(f"{rater} {query} {candidate}".encode()) % 5
            yield f"{query}\t{candidate}\t{(int(grade) + (noise == 0)) % 3}\t{rater}"


def pages() -> Iterator[str]:
    """Queries with landing pages that fit them or not, as lines of JSON."""
    for number, (name, topic) in enumerate(TOPICS.items()):
        for query in (topic[0], list(TOPICS.values())[number - 1][0]):
            html = (
                f"<html><head><title>{topic[0]} and {topic[1]}</title><meta name='description' content='{topic[2]}'>"
                f"</head><body><h1>{name}</h1><p>{'. '.join(topic)}.</p></body></html>"
            )
            yield json.dumps(
                {"query": query, "html": html, "url": f"https://example.org/{name}/{number}.html"}
            )


def documents() -> Iterator[str]:
    """One document for each topic, as lines of JSON."""
    for name, topic in TOPICS.items():
        sentences = [
            f"{one.capitalize()} is often mentioned with {other}."
            for one, other in product(topic, topic)
            if one != other
        ]
        yield json.dumps({"id": name, "title": f"About {topic[0]}", "text": " ".join(sentences)})


def write(path: Path, lines: Iterable[str]) -> Path:
    """Write lines to a file; returns its absolute path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path.resolve()
