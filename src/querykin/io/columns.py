"""The columns of a table by role: which is the title, the text, the query, the count.

A role is given by the user (--columns), known from the export that a program wrote, or recognized by the
column's header.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, lru_cache

from querykin.errors import InputError
from querykin.io.exports import Export, recognize_export
from querykin.io.exports.export import Kind
from querykin.io.exports.generic import GENERIC
from querykin.text.normalization import fold_case

_LISTED = 50  # columns of a header in messages
_CACHED_LENGTH = 10_000  # characters of a header: the columns of longer ones are not kept in memory
_NAME_LENGTH = 60  # characters of a column's name in messages

# Alternatives, of which the first that is not empty is read.
Column = tuple[str, ...]

_KEY_ROLES: Mapping[Kind, tuple[str, ...]] = {
    "documents": ("title", "text"),
    "queries": ("query",),
    "log": ("query",),
}


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The user's own roles of columns: pairs of a role and a column, or several columns joined with +."""

    roles: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str, kind: Kind) -> "ColumnMapping":
        """Read the value of --columns.

        >>> ColumnMapping.parse("title=Name,text=Body+Tags", "documents").roles
        (('title', 'Name'), ('text', 'Body+Tags'))
        """
        return cls(tuple(parse_roles(text, tuple(GENERIC[kind])).items()))

    def fits(self, header: Sequence[str]) -> bool:
        """Whether a header has all columns that were given."""
        return all(
            _find(name, header) is not None for _, given in self.roles for name in _split(given, header)
        )

    def check(self, file: str, header: Iterable[str]) -> None:
        """Raise an InputError for a column that the file does not have; it names the nearest."""
        names = list(header)
        for _, given in self.roles:
            for name in _split(given, names):
                if _find(name, names) is None:
                    raise InputError(
                        f"{file} has no column {name!r}{nearest_column(name, names)}; "
                        f"found: {listed_columns(names)}"
                    )


NO_MAPPING = ColumnMapping()


def parse_roles(text: str, allowed: Collection[str]) -> dict[str, str]:
    """The value of --columns: the column of each role; the name of a column may contain commas.

    >>> parse_roles("query=Last, first,grade=score", ("query", "grade"))
    {'query': 'Last, first', 'grade': 'score'}
    """
    roles: dict[str, str] = {}
    last = ""
    for part in filter(str.strip, text.split(",")):
        role, equals, name = (side.strip() for side in part.partition("="))
        if not equals and last:
            roles[last] += f",{part}"
        elif role not in allowed or not name:
            expected = ", ".join(f"{role}=NAME" for role in allowed)
            raise InputError(f"--columns takes {expected} separated by commas, got {part.strip()!r}")
        elif role in roles:
            raise InputError(f"--columns has {role} twice, as {roles[role]!r} and {name!r}; name it once")
        else:
            roles[role], last = name, role
    return roles


@dataclass(frozen=True)
class Columns:
    """The columns of a header by role; those of a role are joined."""

    kind: Kind
    roles: Mapping[str, tuple[Column, ...]]
    others: tuple[str, ...]  # columns without a role
    export: Export | None = None

    @cached_property
    def alternatives(self) -> tuple[str, ...]:
        """The columns of which only one is read in a record."""
        parts = (column for parts in self.roles.values() for column in parts if len(column) > 1)
        return tuple(name for column in parts for name in column)

    @property
    def is_known(self) -> bool:
        """Whether there is a column to read: a query, or a title or text."""
        return any(self.roles.get(role) for role in _KEY_ROLES[self.kind])


@dataclass(frozen=True)
class ColumnsRead:
    """How a file was read: what wrote it, its format and encoding, and its columns by role.

    >>> roles = {"query": "Top queries", "count": "Impressions"}
    >>> print(ColumnsRead("Queries.csv", "CSV", "UTF-8", roles, ("Clicks",), "Search Console"))
    Queries.csv (Search Console, CSV, UTF-8): query = Top queries, count = Impressions; not read: Clicks
    """

    file: str
    form: str
    encoding: str
    roles: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    export: str = ""
    is_stored: bool = False  # whether the unread columns are stored with the documents
    delimiter: str = ""  # between the cells of a table

    def __str__(self) -> str:
        origin = ", ".join(filter(None, (self.export, self.form, self.encoding)))
        roles = ", ".join(f"{role} = {columns}" for role, columns in self.roles.items())
        unread = f"; not read: {', '.join(self.unread)}" if self.unread else ""
        stored = " (stored only)" if self.unread and self.is_stored else ""
        return f"{self.file} ({origin}){':' if roles else ''} {roles}{unread}{stored}".rstrip()


def columns_read(file: str, form: str, encoding: str, columns: Columns, delimiter: str = "") -> ColumnsRead:
    """The record of how a file with these columns was read."""
    roles = {
        role: " + ".join(" or ".join(column) for column in parts)
        for role, parts in columns.roles.items()
        if parts
    }
    export = columns.export.name if columns.export else ""
    stored = columns.kind == "documents"
    return ColumnsRead(file, form, encoding, roles, columns.others, export, stored, delimiter)


def recognize_columns(header: tuple[str, ...], kind: Kind, given: ColumnMapping = NO_MAPPING) -> Columns:
    """The columns of a header by role.

    >>> recognize_columns(("SKU", "Titel", "Preis"), "documents").roles
    {'id': (('SKU',),), 'title': (('Titel',),), 'text': (), 'url': ()}
    """
    is_short = len(header) <= _CACHED_LENGTH and sum(map(len, header)) <= _CACHED_LENGTH
    return (_recognize_cached if is_short else _recognize)(header, kind, given)


def _recognize(header: tuple[str, ...], kind: Kind, given: ColumnMapping) -> Columns:
    export = recognize_export(header, kind)
    own = {
        role: tuple((found,) for name in _split(names, header) if (found := _find(name, header)) is not None)
        for role, names in given.roles
    }
    taken = {name for parts in own.values() for column in parts for name in column}
    by_name: dict[str, str] = {}
    for name in header:
        if name not in taken:
            by_name.setdefault(fold_case(name), name)
    roles = {role: own.get(role) or _known(role, kind, export, by_name) for role in GENERIC[kind]}
    read = {name for parts in roles.values() for column in parts for name in column}
    others = tuple(dict.fromkeys(name for name in header if name and name not in read))
    return Columns(kind, roles, others, export)


_recognize_cached = lru_cache(maxsize=1024)(_recognize)


def is_header(cells: Sequence[str], kind: Kind, given: ColumnMapping = NO_MAPPING) -> bool:
    """Whether a row is a header: it has the columns that were given, and a column to read.

    >>> is_header(["SKU", "Titel"], "documents"), is_header(["Report of May"], "documents")
    (True, False)
    """
    return given.fits(cells) and recognize_columns(tuple(cells), kind, given).is_known


def _known(role: str, kind: Kind, export: Export | None, by_name: Mapping[str, str]) -> tuple[Column, ...]:
    if export is not None:
        choices = export.columns.get(role, ())
        found = (_present(names, by_name)[:1] for names in choices)
        return tuple(column for column in found if column)
    present = _present(GENERIC[kind][role], by_name)
    # Another text may stand in for an empty one, but not clicks for impressions.
    present = present if kind == "documents" else present[:1]
    return (present,) if present else ()


def _present(names: Sequence[str], by_name: Mapping[str, str]) -> Column:
    return tuple(dict.fromkeys(by_name[key] for name in names if (key := fold_case(name)) in by_name))


def _split(given: str, header: Sequence[str]) -> list[str]:
    """The columns that are joined with +, unless a column has the whole name."""
    return [given] if _find(given, header) is not None else [name.strip() for name in given.split("+")]


def _find(name: str, header: Sequence[str]) -> str | None:
    exact = name if name in header else None
    return exact or next((known for known in header if fold_case(known) == fold_case(name)), None)


def named_positions(header: Sequence[str]) -> dict[str, int]:
    """The position of each column that has a name, of several with one name that of the first.

    >>> named_positions(["query", "", "count", "query"])
    {'query': 0, 'count': 2}
    """
    positions: dict[str, int] = {}
    for at, name in enumerate(header):
        if name:
            positions.setdefault(name, at)
    return positions


def listed_columns(header: Sequence[str]) -> str:
    r"""The columns of a header for a message, of which long names and long headers are cut.

    >>> listed_columns(["id", "a\0b", "x" * 99]), listed_columns([])
    ('id, a\\x00b, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', 'none')
    """
    heads = [name[: _NAME_LENGTH + 1] for name in header[:_LISTED]]
    shown = [name if name.isprintable() else repr(name)[1:-1] for name in heads]
    names = [name if len(name) <= _NAME_LENGTH else f"{name[:_NAME_LENGTH]}..." for name in shown]
    more = [f"and {len(header) - _LISTED:,} more"] if len(header) > _LISTED else []
    return ", ".join([*names, *more]) or "none"


def nearest_column(name: str, header: Sequence[str]) -> str:
    """A question for the column of a header that was probably meant, or nothing if none is near."""
    by_name = {fold_case(known): known for known in header}
    near = get_close_matches(fold_case(name), by_name, n=1, cutoff=0.5)
    return f" (did you mean {by_name[near[0]]!r}?)" if near else ""
