"""Discovery of sources: files, folders, zip archives and standard input, found and checked before reading."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from zipfile import ZipInfo

from querykin.errors import InputError
from querykin.io.characters import printable
from querykin.io.compression import COMPRESSIONS, MAGIC_LENGTH, detect_compression, split_suffixes
from querykin.io.documents.formats import DocumentFormat, formats_by_suffix, known_suffixes
from querykin.io.file_kinds import kind_of
from querykin.io.inputs import STANDARD_INPUT
from querykin.io.zip_archive import ZipArchive
from querykin.types import SkippedFile

# A folder with one of these is a BEIR data set: its queries and judgements are not documents.
_BEIR_CORPUS = ("corpus.jsonl", *(f"corpus.jsonl{suffix}" for suffix in COMPRESSIONS))
_ZIP = ".zip"
_HTML = ".html"
_HEAD_BYTES = 4096  # by which the kind of a file is recognized

Formats = Mapping[str, Sequence[DocumentFormat]]  # by suffix


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, or a member of a zip archive; `path` is None for standard input."""

    path: Path | None  # of a member, that of the archive
    label: str  # its path, from which a document without a title is named
    size: int = 0  # bytes as stored; of a member, unpacked
    compression: str = ""  # suffix
    formats: Sequence[DocumentFormat] = ()  # those of its suffix; for standard input, all
    member: ZipInfo | None = None

    @property
    def name(self) -> str:
        """The file's name for messages."""
        return "standard input" if self.path is None else self.label


@dataclass(frozen=True)
class Source:
    """The files of one source that was named, in reading order."""

    name: str
    files: list[SourceFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)  # of a folder or archive
    is_folder: bool = False  # or an archive: it may have files that cannot be read

    def skip(self, reason: object) -> None:
        """Remember that a file cannot be read; the reason names it."""
        self.skipped.append(SkippedFile(self.name, None, str(reason)))


class _UnknownFormat(InputError):
    """A file whose suffix is not known; within a folder the reason suffices."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}; known are {known_suffixes()}. Next: {advice}")
        self.reason = reason


def find_files(given: str | os.PathLike[str]) -> Source:
    """The files of one source, each checked to be usable.

    A file that was named itself and cannot be used is an InputError. Of a folder or an archive such files
    are skipped; if nothing remains, that is an InputError.
    """
    if given == STANDARD_INPUT:
        return Source("standard input", [SourceFile(None, "stdin")])
    path, formats = Path(given), formats_by_suffix()
    is_archive = path.suffix.lower() == _ZIP and not path.is_dir()
    source = Source(_label(path), is_folder=path.is_dir() or is_archive)
    if path.is_dir():
        for file in _walk(path, source):
            _add_file(source, file, formats)
    elif is_archive:
        _check_regular(path)
        _add_members(source, path, formats)
    else:
        source.files.append(_checked(path, formats))
    if not source.files:
        kind = "archive" if is_archive else "folder"
        raise InputError(
            f"no files to read in the {kind} {source.name}{_reasons(source)}; known are {known_suffixes()}"
        )
    return source


def _reasons(source: Source) -> str:
    first = "; ".join(str(file) for file in source.skipped[:3])
    return f" ({first}{'; ...' if len(source.skipped) > 3 else ''})" if first else ""


def _label(path: PurePath) -> str:
    return printable(path.as_posix())


def _walk(folder: Path, source: Source) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise InputError(f"cannot read the folder {error.filename}: {error.strerror}") from error
        source.skip(f"cannot read the folder {printable(str(error.filename))}: {error.strerror}")

    root = folder.resolve()
    for parent, folders, names in os.walk(folder, onerror=unreadable):
        for path in sorted(Path(parent, name) for name in folders if not name.startswith(".")):
            if path.is_symlink() and not _is_within(path, root):
                source.skip(_outside(path))  # a link within leads to a folder that is read at its own place
        corpus = [name for name in _BEIR_CORPUS if name in names][:1]
        folders[:] = [] if corpus else sorted(name for name in folders if not name.startswith("."))
        for name in corpus or sorted(names):
            path = Path(parent, name)
            if name.startswith((".", "~$")):  # hidden, or the lock of an open spreadsheet
                continue
            if path.is_symlink() and not _is_within(path, root):
                source.skip(_outside(path))
            else:
                yield path


def _is_within(link: Path, root: Path) -> bool:
    """Whether what a link leads to is in the folder; a loop leads nowhere."""
    try:
        return link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _outside(link: Path) -> str:
    return f"{_label(link)} is a link that leads out of the folder or nowhere: name what it leads to itself"


def _add_file(source: Source, path: Path, formats: Formats) -> None:
    try:
        if path.suffix.lower() == _ZIP:
            _check_regular(path)
            _add_members(source, path, formats)
        else:
            source.files.append(_checked(path, formats))
    except _UnknownFormat as error:
        source.skip(error.reason)
    except InputError as error:
        source.skip(error)


def _add_members(source: Source, path: Path, formats: Formats) -> None:
    label = _label(path)
    with ZipArchive(path, label) as archive:
        members = archive.members()
        paths = [PurePath(member.filename) for member in members]
        corpora = {path.parent: path for path in paths if path.name in _BEIR_CORPUS}
        for member, inside in zip(members, paths, strict=True):
            if any(corpora.get(folder, inside) != inside for folder in inside.parents):
                continue  # beside the corpus of a BEIR data set
            suffix, compression = split_suffixes(inside)
            name = f"{label}/{printable(inside.as_posix())}"
            if suffix == _ZIP:
                source.skip(f"{name} is a zip archive within an archive")
            elif (found := formats.get(suffix)) or (found := _page(archive.head(member), formats)):
                source.files.append(SourceFile(path, name, member.file_size, compression, found, member))
            else:
                source.skip(_unknown(name, suffix, archive.head(member))[0])


def _check_regular(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise InputError(f"{_label(path)} is not a regular file: pipe it to standard input and name -")


def _checked(path: Path, formats: Formats) -> SourceFile:
    name = _label(path)
    suffix, compression = split_suffixes(path)
    try:
        _check_regular(path)
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {name}: {reason}") from error
    found = formats.get(suffix) or _page(head, formats)
    if not found:
        raise _UnknownFormat(*_unknown(name, suffix, head))
    detect_compression(head[:MAGIC_LENGTH], compression, name)
    return SourceFile(path, name, size, compression, found)


def _page(head: bytes, formats: Formats) -> Sequence[DocumentFormat]:
    """The formats of a web page without a known suffix, as in mirrors of sites: `a`, `list.php?page=2`."""
    kind = kind_of(head)
    return formats[_HTML] if kind is not None and kind.suffix == _HTML else ()


def _unknown(name: str, suffix: str, head: bytes) -> tuple[str, str]:
    """Why a file with an unknown suffix cannot be read, and what to do with it."""
    kind = kind_of(head)
    if kind is not None:
        return f"{name} is {kind.description}", kind.advice
    return f"{name}: unknown ending {suffix!r}", "rename the file, or pipe it to standard input and name -"
