"""What the user named: files, folders and standard input, found and checked before anything is read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from querykin.errors import InputError
from querykin.io.characters import sanitize
from querykin.io.compression import COMPRESSIONS, MAGIC_LENGTH, detect_compression
from querykin.io.documents.formats import READERS, known_suffixes, suffixes

STANDARD_INPUT = "-"

# A folder with one of these is a BEIR data set: its queries and judgements are not documents.
_BEIR_CORPUS = ("corpus.jsonl", *(f"corpus.jsonl{ending}" for ending in COMPRESSIONS))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read: where it is (None: standard input), and the label that ids are made of."""

    path: Path | None
    label: str
    size: int = 0

    @property
    def name(self) -> str:
        """The file's name for messages."""
        return "standard input" if self.path is None else sanitize(str(self.path))


def find_files(source: str | os.PathLike[str]) -> list[SourceFile]:
    """The files behind one source, in the order in which they are read, each checked to be usable."""
    if source == STANDARD_INPUT:
        return [SourceFile(None, "stdin")]
    path = Path(source)
    if not path.is_dir():
        return [_checked(path)]
    found = [_checked(file) for file in _walk(path)]
    if not found:
        raise InputError(
            f"no files to read in the folder {sanitize(str(path))}: known are {known_suffixes()}"
        )
    return found


def _walk(folder: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise InputError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    for place, folders, names in os.walk(folder, onerror=fail):
        corpus = [name for name in _BEIR_CORPUS if name in names][:1]
        folders[:] = [] if corpus else sorted(name for name in folders if not name.startswith("."))
        for name in corpus or sorted(names):
            file = Path(place, name)
            if not name.startswith(".") and suffixes(PurePath(name))[0] in READERS and file.is_file():
                yield file


def _checked(path: Path) -> SourceFile:
    name = sanitize(str(path))
    form, compression = suffixes(path)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{name} is not a regular file: pipe it to standard input and name -")
        with path.open("rb") as file:
            head = file.read(MAGIC_LENGTH)
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {name}: {reason}") from error
    if form not in READERS:
        raise InputError(
            f"{name}: unknown ending {form!r}; known are {known_suffixes()}. "
            "Rename the file, or pipe it to standard input and name -"
        )
    detect_compression(head, compression, name)
    return SourceFile(path, sanitize(path.as_posix()), size)
