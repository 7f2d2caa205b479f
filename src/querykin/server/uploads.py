"""Keyword lists that arrive in a form: as an uploaded file, or pasted."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO

from starlette.datastructures import FormData, UploadFile

from querykin.errors import InputError

PASTED = "pasted list"
_MAX_NAME = 100  # characters of a file's name, of which the end has the ending


@dataclass(frozen=True)
class Upload:
    """The name of a list, and its bytes."""

    name: str
    content: BinaryIO

    @classmethod
    def of(cls, form: FormData) -> "Upload":
        """The file of a form, else the pasted text; InputError if both are empty."""
        file, pasted = form.get("file"), form.get("pasted")
        if isinstance(file, UploadFile) and file.filename:
            return cls(_base_name(file.filename), file.file)
        if isinstance(pasted, str) and pasted.strip():
            return cls(PASTED, BytesIO(pasted.encode("utf-8", "replace")))
        raise InputError("there is no list yet: choose a file, or paste keywords, one per line")

    @contextmanager
    def as_file(self) -> Iterator[Path]:
        """The list as a temporary file with an ending that says what it is; messages have its own name."""
        with TemporaryDirectory(prefix="querykin-") as folder:
            path = Path(folder) / (f"{PASTED}.txt" if self.name == PASTED else self.name)
            self.content.seek(0)  # the work of a request may run twice
            with path.open("wb") as file:
                shutil.copyfileobj(self.content, file)
            try:
                yield path
            except InputError as error:
                raise InputError(str(error).replace(str(path), self.name)) from error


def _base_name(given: str) -> str:
    r"""The last part of a path that a client sent, without characters that mean something to a file system.

    >>> _base_name("C:\\exports\\Queries 2026.csv"), _base_name("../.."), _base_name("a\0b.txt")
    ('Queries 2026.csv', 'list', 'a_b.txt')
    """
    name = PurePosixPath(given.replace("\\", "/")).name
    return re.sub(r"[^\w.,()+ -]", "_", name)[-_MAX_NAME:].strip(" .") or "list"
