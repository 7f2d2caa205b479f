"""Orderings that the papers publish, each with ours at equal settings; the verdict is computed from the interval."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from querykin.evaluation.significance import Interval
from querykin.measures import measures
from reproduce.markdown import interval, number, table
from reproduce.orderings import VERDICTS, Figures, Ordering, clear

COLUMNS = 7  # of the page
UNCLEAR, REVERSED = VERDICTS[0], VERDICTS[-1]


@dataclass(frozen=True)
class PublishedOrdering:
    """One thing above another in a paper, and the difference on one of our sets."""

    paper: str  # and its table or figure
    subject: str  # what is above what, by which metric
    printed: str  # the paper's two figures; empty where it only has a curve or a sentence
    on: str  # the set, and the settings where they are not the paper's
    ours: Interval

    @property
    def verdict(self) -> str:
        """Whether it holds here; there is a verdict only where the 95 % interval excludes 0."""
        return VERDICTS[clear(self.ours)]

    @property
    def key(self) -> str:
        """What a written cause refers to."""
        return _key(self.paper, self.subject, self.on)


def of_table(
    paper: str,
    found: Iterable[Ordering],
    printed: Figures,
    titles: Mapping[str, str],
    on: str,
    digits: int = 3,
) -> list[PublishedOrdering]:
    """The orderings of a published table on one of our sets; `titles` are those of the metrics."""
    return [
        PublishedOrdering(
            paper,
            f"{_method(each.higher)} above {_method(each.lower)} in {titles[each.metric]}",
            ", ".join(number(printed[name][each.metric], digits) for name in (each.higher, each.lower)),
            on,
            each.ours,
        )
        for each in found
    ]


def _method(name: str) -> str:
    return f"`{name}`" if name in measures else name


@dataclass(frozen=True)
class Cause:
    """Words on why an ordering has the verdict that it had when they were written."""

    verdict: str
    words: str


def same_cause(verdict: str, words: str, *keys: str) -> dict[str, Cause]:
    """One cause of several orderings."""
    return dict.fromkeys(keys, Cause(verdict, words))


def page(found: Sequence[PublishedOrdering], causes: Mapping[str, Cause]) -> str:
    """The orderings as a table, with the number of each verdict."""
    rows = [
        [
            each.paper,
            each.subject,
            each.printed,
            each.on,
            interval(each.ours),
            each.verdict,
            _words(each.key, each.verdict, causes),
        ]
        for each in found
    ]
    header = ["paper", "ordering", "printed", "on", "ours, 95 % interval", "verdict", "cause"]
    return f"{_counted(found)}\n\n{table(header, rows)}"


def _counted(found: Sequence[PublishedOrdering]) -> str:
    papers = list(dict.fromkeys(each.paper for each in found))
    parts = {paper: [each for each in found if each.paper == paper] for paper in papers} | {"all": found}
    rows = [
        [
            paper,
            str(len(part)),
            *(str(sum(each.verdict == verdict for each in part)) for verdict in VERDICTS.values()),
        ]
        for paper, part in parts.items()
    ]
    return table(["paper", "orderings on our sets", *VERDICTS.values()], rows)


def contradicted(verdicts_by_key: Mapping[str, str], causes: Mapping[str, Cause]) -> list[str]:
    """Causes that were written for another verdict or for no ordering, and orderings that do not hold and have none."""
    wrong = [
        f"{key}: written for {cause.verdict!r}, computed {verdicts_by_key.get(key, 'nothing')!r}"
        for key, cause in causes.items()
        if verdicts_by_key.get(key) != cause.verdict
    ]
    return wrong + [
        f"{key}: {verdict}, without a cause"
        for key, verdict in verdicts_by_key.items()
        if verdict != VERDICTS[1] and key not in causes
    ]


def verdicts(text: str) -> dict[str, str]:
    """The verdicts of a written page, by the keys of the orderings."""
    return {
        _key(row[0], row[1], row[3]): row[5] for row in map(_cells, text.splitlines()) if _is_ordering(row)
    }


def with_causes(text: str, causes: Mapping[str, Cause]) -> str:
    """A written page with other causes."""
    lines = text.splitlines()
    for place, row in enumerate(map(_cells, lines)):
        if _is_ordering(row):
            cells = [*row[:-1], _words(_key(row[0], row[1], row[3]), row[5], causes)]
            lines[place] = "| " + " | ".join(cells) + " |"
    return "\n".join(lines) + "\n"


def _is_ordering(row: Sequence[str]) -> bool:
    return len(row) == COLUMNS and row[5] in VERDICTS.values()


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def _key(paper: str, subject: str, on: str) -> str:
    return f"{paper}: {subject}: {on}"


def _words(key: str, verdict: str, causes: Mapping[str, Cause]) -> str:
    cause = causes.get(key)
    return cause.words if cause and cause.verdict == verdict else ""
