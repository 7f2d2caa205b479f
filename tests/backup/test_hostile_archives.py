"""Archives that were made to do harm are refused."""

import io
import json
import os
import tarfile

import pytest
import zstandard

from querykin.backup import restore
from querykin.errors import InputError, WorkspaceError


def _hostile(path, *members, table=None):
    """An archive with these members after a table of contents that lists them."""
    sizes = table or [[info.name, info.size] for info, _ in members]
    raw = json.dumps({"format": 1, "files": sizes}).encode()
    head = tarfile.TarInfo("querykin-backup.json")
    head.size = len(raw)
    with (
        path.open("wb") as file,
        zstandard.ZstdCompressor().stream_writer(file) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        for info, content in ((head, raw), *members):
            info.size = len(content) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(content))


def _member(name, kind=tarfile.REGTYPE, content=b"{}"):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, len(content), "/etc/passwd"
    return info, content


HOSTILE = {
    "absolute": _member("/etc/evil.json"),
    "parent": _member("models/../../evil.json"),
    "hidden parent": _member("corpus/parts/../../../evil"),
    "of no workspace": _member(".bashrc"),
    "a link": _member("models/evil.json", tarfile.SYMTYPE, b""),
    "a hard link": _member("models/evil.json", tarfile.LNKTYPE, b""),
    "a device": _member("models/evil.json", tarfile.CHRTYPE, b""),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_archives_are_refused(kind, tmp_path):
    _hostile(tmp_path / "bad", HOSTILE[kind])
    with pytest.raises((InputError, WorkspaceError), match=r"no file of a workspace|not a regular file"):
        restore(tmp_path / "bad", tmp_path / "new")
    assert set(os.listdir(tmp_path)) <= {"bad", "new"}
    assert not any((tmp_path / "new").iterdir())


def test_an_archive_cannot_be_larger_than_it_says(tmp_path):
    _hostile(tmp_path / "bad", _member("models/a.json", content=b"0" * 10_000), table=[["models/a.json", 2]])
    with pytest.raises(WorkspaceError, match="is a damaged backup"):
        restore(tmp_path / "bad", tmp_path / "new")
    _hostile(tmp_path / "bad", _member("models/a.json"), table=[["models/a.json", 10**18]])
    with pytest.raises(WorkspaceError, match="restoring needs 1,000,000,000,000,000,000 bytes"):
        restore(tmp_path / "bad", tmp_path / "new")
