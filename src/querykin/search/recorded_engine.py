"""A search engine that replays recorded hits: for tests, examples and offline work."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from querykin.corpus.corpus import Corpus
from querykin.counted_nouns import counted
from querykin.errors import InputError
from querykin.search.engine import SearchEngine, engines
from querykin.types import Hit
from querykin.untrusted_json import InvalidJson, read_json_as


@engines.register("recorded")
class RecordedEngine(SearchEngine):
    """Replays recorded hits; a query that was not recorded has no results.

    >>> engine = RecordedEngine({"nasa": [Hit("1", "NASA", "NASA explores space.", "", 1.0)]})
    >>> [hit.title for hit in engine.search("NASA", 5)], engine.search("esa", 5)
    (['NASA'], [])
    """

    def __init__(self, answers: Mapping[str, Sequence[Hit]]) -> None:
        self._answers = {query.casefold(): list(hits) for query, hits in answers.items()}

    def __str__(self) -> str:
        return f"recorded results of {counted(len(self._answers), 'query')}"

    @classmethod
    def open(cls, path: Path) -> "RecordedEngine":
        """Read hits from a JSON file: {query: [{document_id, title, snippet, url, score}]}."""
        try:
            return cls(read_json_as(path, dict[str, list[Hit]]))
        except (OSError, InvalidJson) as error:
            raise InputError(f"{path} does not hold recorded answers: {error}") from error

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> "RecordedEngine":
        """The engine of the hits recorded in a file."""
        if not path:
            raise InputError('an engine of recorded answers needs their file: [engine] path = "answers.json"')
        return cls.open(Path(path))

    def search(self, query: str, limit: int) -> list[Hit]:
        """The recorded hits, at most `limit`; case does not matter."""
        return self._answers.get(query.casefold(), [])[:limit]
