"""What sessions say, as counts: how many sessions ask a query, ask two queries, or follow one by another."""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.logs.sorted_runs import Columns

MAX_QUERIES = 100  # different ones of a session; one with more is a program
MAX_EVENTS = 10_000  # rows of a session; the same
MAX_PAUSE = 30 * 60 * 1000  # milliseconds between a query and its reformulation
NO_PAGE = -1


class SessionCounts(NamedTuple):
    """Counts of whole sessions: of queries, their pairs, reformulations, clicks and pages, each unsorted."""

    sessions: int
    left_out: int  # sessions with too many queries or rows
    queries: Int64Array
    pairs: Columns
    reformulations: Columns
    clicks: Columns
    pages: Int64Array


def count_sessions(
    sessions: Int64Array, times: Int64Array, order: Int64Array, queries: Int64Array, pages: Int64Array
) -> SessionCounts:
    """Count whole sessions, whose rows are sorted by session, time and order.

    An event counts once in a session, however often it occurs: a count is a number of sessions.
    """
    asked = _unique_rows(sessions, queries)
    names, sizes = np.unique(asked[0], return_counts=True)
    counted = (sizes <= MAX_QUERIES) & (np.unique(sessions, return_counts=True)[1] <= MAX_EVENTS)
    kept = np.isin(sessions, names[counted])
    sessions, times, queries, pages = (each[kept] for each in (sessions, times, queries, pages))
    owners, distinct = _unique_rows(sessions, queries)
    following = _reformulations(sessions, times, queries)
    clicked = pages != NO_PAGE
    clicks = _unique_rows(sessions[clicked], queries[clicked], pages[clicked])
    return SessionCounts(
        int(counted.sum()),
        int((~counted).sum()),
        distinct,
        _pairs(owners, distinct),
        following,
        clicks[1:],
        _unique_rows(sessions[clicked], pages[clicked])[1],
    )


def _unique_rows(*columns: Int64Array) -> Columns:
    """Distinct rows, sorted."""
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    new = np.ones(len(order), np.bool_)
    if len(order):
        new[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    return tuple(column[new] for column in ordered)


def _pairs(owners: Int64Array, queries: Int64Array) -> Columns:
    """The pairs of different queries of each session, the smaller key first; rows are sorted."""
    firsts, seconds = [queries[:0]], [queries[:0]]
    for distance in range(1, MAX_QUERIES):
        together = owners[distance:] == owners[:-distance]
        if not together.any():
            break
        firsts.append(queries[:-distance][together])
        seconds.append(queries[distance:][together])
    return np.concatenate(firsts), np.concatenate(seconds)


def _reformulations(sessions: Int64Array, times: Int64Array, queries: Int64Array) -> Columns:
    """The pairs of a query and the next, different one of its session, soon after it; once a session."""
    follows = (
        (sessions[1:] == sessions[:-1])
        & (queries[1:] != queries[:-1])
        & (times[1:] - times[:-1] <= MAX_PAUSE)
    )
    rows = _unique_rows(sessions[1:][follows], queries[:-1][follows], queries[1:][follows])
    return rows[1:]
