"""Merge policy of index segments: batches of one build on the way, and segments of several builds at its end."""

import numpy as np

from querykin.index.index import in_repository, newest_rows
from querykin.index.segment import IndexSegment, merge
from querykin.querylog.repository import Repository
from querykin.storage.store import Store

MERGE_FACTOR = 16  # batches of similar size that a build merges on its way
MAX_SEGMENTS = 4  # every search reads every segment; above this number they are merged


def merge_batches(store: Store, names: list[str]) -> list[str]:
    """Merge the latest batches of a build when there are many of similar size: files are a limited resource."""
    while len(names) >= MERGE_FACTOR:
        latest = [IndexSegment(store.part(name)) for name in names[-MERGE_FACTOR:]]
        if len(latest[0]) > 2 * len(latest[-2]):
            break
        merged = store.new_part("segment")
        merge(store.part(merged), latest, [np.ones(len(segment), np.bool_) for segment in latest])
        names = [*names[:-MERGE_FACTOR], merged]
    return names


def merge_segments(store: Store, names: list[str], repository: Repository, all_at_once: bool) -> list[str]:
    """Merge segments when there are too many: all at once, or the smallest adjacent ones."""
    while len(names) > MAX_SEGMENTS:
        segments = [IndexSegment(store.part(name)) for name in names]
        live = [
            newest & in_repository(segment, repository)
            for newest, segment in zip(newest_rows(segments), segments, strict=True)
        ]
        smallest = min(range(len(names) - 1), key=lambda i: len(segments[i]) + len(segments[i + 1]))
        part = slice(0, len(names)) if all_at_once else slice(smallest, smallest + 2)
        merged = store.new_part("segment")
        merge(store.part(merged), segments[part], live[part])
        names = [*names[: part.start], merged, *names[part.stop :]]
    return names
