"""Discovery of sources: files, folders and standard input, found and checked before anything is read."""

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from querykin.errors import InputError
from querykin.io.characters import sanitize
from querykin.io.compression import COMPRESSIONS, MAGIC_LENGTH, detect_compression, split_suffixes
from querykin.io.documents.formats import formats_by_suffix, known_suffixes
from querykin.io.inputs import STANDARD_INPUT, Reader

# A folder with one of these is a BEIR data set: its queries and judgements are not documents.
_BEIR_CORPUS = ("corpus.jsonl", *(f"corpus.jsonl{suffix}" for suffix in COMPRESSIONS))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read; `path` and `reader` are None for standard input."""

    path: Path | None
    label: str  # its path, from which a document without a title is named
    size: int = 0  # bytes as stored
    compression: str = ""  # suffix
    reader: Reader | None = None

    @property
    def name(self) -> str:
        """The file's name for messages."""
        return "standard input" if self.path is None else sanitize(str(self.path))


def find_files(source: str | os.PathLike[str]) -> list[SourceFile]:
    """The files of one source in reading order, each checked to be usable."""
    if source == STANDARD_INPUT:
        return [SourceFile(None, "stdin")]
    readers = {suffix: known.read for suffix, known in formats_by_suffix().items()}
    path = Path(source)
    if not path.is_dir():
        return [_checked(path, readers)]
    files = [_checked(file, readers) for file in _walk(path, readers)]
    if not files:
        raise InputError(
            f"no files to read in the folder {sanitize(str(path))}: known are {known_suffixes()}"
        )
    return files


def _walk(folder: Path, known: Container[str]) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise InputError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    for parent, folders, names in os.walk(folder, onerror=fail):
        corpus = [name for name in _BEIR_CORPUS if name in names][:1]
        folders[:] = [] if corpus else sorted(name for name in folders if not name.startswith("."))
        for name in corpus or sorted(names):
            file = Path(parent, name)
            if not name.startswith(".") and split_suffixes(PurePath(name))[0] in known and file.is_file():
                yield file


def _checked(path: Path, readers: dict[str, Reader]) -> SourceFile:
    name = sanitize(str(path))
    suffix, compression = split_suffixes(path)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{name} is not a regular file: pipe it to standard input and name -")
        with path.open("rb") as file:
            head = file.read(MAGIC_LENGTH)
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {name}: {reason}") from error
    if suffix not in readers:
        raise InputError(
            f"{name}: unknown ending {suffix!r}; known are {known_suffixes()}. "
            "Rename the file, or pipe it to standard input and name -"
        )
    detect_compression(head, compression, name)
    return SourceFile(path, sanitize(path.as_posix()), size, compression, readers[suffix])
