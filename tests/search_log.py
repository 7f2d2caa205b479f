"""A search log over the five topics: four sessions each ask all titles of a topic and click a page of it."""

from querykin.io.log_files import LogRecord
from topics import FACTS

SESSIONS = 4
LOG = [
    LogRecord(title, f"{topic} {session}", float(place), f"https://example.com/{topic}/{place // 3}")
    for topic, facts in FACTS.items()
    for session in range(SESSIONS)
    for place, (title, _) in enumerate(facts)
]
