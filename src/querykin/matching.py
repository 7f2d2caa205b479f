"""Matches of many queries as text: each query of a file, or of the repository, with its nearest queries.

Searches run on the workspace's task runner. A task writes the text of its queries to a file, so that the
process that asked has nothing to do but to copy it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from querykin.distributed.task_runner import THIS_PROCESS, in_order
from querykin.distributed.task_times import timed_results
from querykin.io.tables import chunks
from querykin.retrieval.suggester import NEAREST, Suggester, Suggestions, pairs_batch, suggestions_json
from querykin.storage.store import Store
from querykin.workspace import Workspace
from querykin.workspace_handle import WorkspaceHandle

_QUERIES = 1024  # of a file, matched at once
_ROUND = 256  # tasks whose queries are in memory at once
_HEADERS = {"tsv": "query\trank\tcandidate\tscore\n", "json": "["}
_FOOTERS = {"json": "]\n"}

Record = tuple[str, int, str]  # the text of a query, its count and its id
Queries = range | Sequence[Record]  # positions among the queries of the repository, or queries of a file


@dataclass(frozen=True)
class MatchOptions:
    """What is matched, and the form of the text: tsv, trec, json or jsonl."""

    measure: str
    threshold: float | None
    k: int | None
    form: str


def match_texts(
    workspace: Workspace, records: Iterable[Record] | None, options: MatchOptions
) -> Iterator[tuple[str, int]]:
    """Pieces of text, and how many of their queries are not covered.

    `records` are the queries to match; without them, each query of the repository is matched with the others.
    """
    suggester = workspace.suggester(options.measure, filter="none", threshold=options.threshold)
    yield _HEADERS.get(options.form, ""), 0
    if workspace.runner is THIS_PROCESS:
        pieces = _match_here(suggester, records, options)
    else:
        pieces = _match_in_tasks(workspace, suggester, records, options)
    between = ""
    for text, uncovered in pieces:
        yield between + text, uncovered
        between = ", " if options.form == "json" else ""
    yield _FOOTERS.get(options.form, ""), 0


def _match_here(
    suggester: Suggester, records: Iterable[Record] | None, options: MatchOptions
) -> Iterator[tuple[str, int]]:
    if records is None:
        yield from (_text([each], options.form) for each in _named(suggester.all_pairs(options.k)))
        return
    for group in chunks(records, _QUERIES):
        yield _text(_matches(suggester, group, options.k), options.form)


def _match_in_tasks(
    workspace: Workspace, suggester: Suggester, records: Iterable[Record] | None, options: MatchOptions
) -> Iterator[tuple[str, int]]:
    store = Store(workspace.path.resolve() / "matches", "matches")
    write = WriteMatches(workspace.handle, store, options)
    tasks: Iterator[Queries] = (
        _runs_of_repository(suggester, options) if records is None else chunks(records, _QUERIES)
    )
    total = len(suggester.repository) if records is None else None
    with store.writing(), workspace.progress.task("matching", total) as advance:
        while some := list(islice(tasks, _ROUND)):
            results = timed_results(workspace.runner, write, some, workspace.progress, "matches")
            for number, (part, uncovered) in in_order(results):
                text = (store.part(part) / "matches.txt").read_bytes()
                yield text.decode("utf-8", "surrogatepass"), uncovered
                store.discard(part)
                advance(len(some[number]))


def _runs_of_repository(suggester: Suggester, options: MatchOptions) -> Iterator[range]:
    """Positions among the live queries; a run is as many queries as are searched for at once."""
    size = len(suggester.repository.live_ids())
    batch = pairs_batch(options.k or (NEAREST if options.threshold is None else size))
    return (range(begin, min(begin + batch, size)) for begin in range(0, size, batch))


@dataclass(frozen=True)
class WriteMatches:
    """The task function: queries to the name of a part with the text, and how many are not covered."""

    handle: WorkspaceHandle
    store: Store
    options: MatchOptions

    def __call__(self, queries: Queries) -> tuple[str, int]:
        """Match queries of a file, or queries of the repository at some positions."""
        suggester = _suggester(self.handle.workspace, self.options.measure, self.options.threshold)
        if isinstance(queries, range):
            query_ids = suggester.repository.live_ids()[queries.start : queries.stop]
            found = _named(suggester.pairs_of(query_ids, self.options.k))
        else:
            found = _matches(suggester, queries, self.options.k)
        text, uncovered = _text(found, self.options.form)
        part = self.store.new_part("matches")
        (self.store.part(part) / "matches.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
        return part, uncovered


@lru_cache(maxsize=1)
def _suggester(workspace: Workspace, measure: str, threshold: float | None) -> Suggester:
    return workspace.suggester(measure, filter="none", threshold=threshold)


def _matches(
    suggester: Suggester, records: Sequence[Record], k: int | None
) -> Iterator[tuple[str, Suggestions]]:
    matches = suggester.match([query for query, _, _ in records], k or NEAREST)
    return zip([name for _, _, name in records], matches, strict=True)


def _named(pairs: Iterable[tuple[int, Suggestions]]) -> Iterator[tuple[str, Suggestions]]:
    """Matches of queries of the repository under their ids in a TREC run, which count from 1."""
    return ((str(query_id + 1), matches) for query_id, matches in pairs)


def _text(matches: Iterable[tuple[str, Suggestions]], form: str) -> tuple[str, int]:
    pieces, uncovered = list[str](), 0
    for name, found in matches:
        uncovered += not found.covered
        pieces += _lines(name, found, form)
    return (", " if form == "json" else "").join(pieces), uncovered


def _lines(name: str, matches: Suggestions, form: str) -> Iterator[str]:
    if form in ("json", "jsonl"):
        line_break = "\n" if form == "jsonl" else ""
        yield json.dumps(suggestions_json(matches), ensure_ascii=False) + line_break
        return
    for rank, match in enumerate(matches.suggestions, start=1):
        if form == "tsv":
            yield f"{matches.query}\t{rank}\t{match.query}\t{match.score:.9g}\n"
        else:
            # Fields of a TREC run are separated by spaces, so ids must not contain any.
            yield f"{'_'.join(name.split())} Q0 {match.query_id + 1} {rank} {match.score:.9g} querykin\n"
