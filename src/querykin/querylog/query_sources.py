"""Files of queries by source, collected for the repository."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from querykin.errors import InputError
from querykin.io.inputs import check_standard_input
from querykin.io.query_exports import is_query_export, read_query_export
from querykin.querylog.counted_queries import CountedQueries
from querykin.storage.source_names import default_source, source_name

Contents = list[tuple[str, CountedQueries]]
Read = Callable[[str], Iterable[tuple[str, int, str]]]  # from a file to queries, counts and ids


def collect_queries(files: Sequence[str], read: Read, source: str | None = None) -> Contents:
    """The queries of files, each with its source: the given one, those an export names, or the file's name.

    A file without queries is an InputError.
    """
    check_standard_input(files)
    contents: Contents = []
    given = None if source is None else source_name(source)
    for file in files:
        found = list(_contents(file, read, given))
        if not any(len(queries) for _, queries in found):
            raise InputError(f"no queries in {file}; nothing was added")
        contents += found
    return contents


def _contents(file: str, read: Read, source: str | None) -> Iterator[tuple[str, CountedQueries]]:
    if source is None and is_query_export(file):
        # An export is sorted by source.
        for name, rows in groupby(read_query_export(file), key=itemgetter(2)):
            yield name, _collect(rows)
    else:
        yield default_source(file) if source is None else source, _collect(read(file))


def _collect(rows: Iterable[tuple[str, int, str]]) -> CountedQueries:
    return CountedQueries.collect((query, count) for query, count, _ in rows)
