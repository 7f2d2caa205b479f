"""Zip archives as folders: their bounds, and members that are left out."""

import io
import struct
import zipfile

import pytest

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.query_files import read_queries
from querykin.types import SkippedFile


@pytest.fixture
def packed(file):
    """Write an archive; members are (name or ZipInfo, content)."""

    def write(*members, name="a.zip", compression=zipfile.ZIP_DEFLATED):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", compression) as archive:
            for member, content in members:
                archive.writestr(member, content)
        return file(name, data.getvalue())

    return write


def titles(outcome):
    return [document.title for document in outcome.documents]


def test_an_archive_is_read_like_a_folder(read, packed):
    path = packed(("b/x.txt", "second"), ("a.csv", "id,title\n1,first\n"), ("b/y.txt.gz", b"not gzip"))
    outcome = read(path)
    assert titles(outcome) == ["first", "second"]
    assert [type(problem) for problem in outcome.problems] == [SkippedFile]
    assert "a.zip/b/y.txt.gz ends in .gz but holds other data" in str(outcome.problems[0])


def test_members_that_would_escape_are_left_out(read, packed):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    members = [("../up.txt", "x"), ("/etc/root.txt", "x"), ("C:\\boot.txt", "x"), (link, "/etc/passwd")]
    members += [(zipfile.ZipInfo("\0"), "no name"), ("folder\\", "x")]
    assert titles(read(packed(*members, ("good.txt", "good")))) == ["good"]


def test_an_archive_within_an_archive_is_not_opened(read, packed):
    inner = packed(("x.txt", "inner"), name="inner.zip").read_bytes()
    outcome = read(packed(("inner.zip", inner), ("x.txt", "outer")))
    assert titles(outcome) == ["outer"]
    assert "inner.zip is a zip archive within an archive" in str(outcome.problems[0])


def test_an_archive_in_a_folder_is_read_as_a_folder(read, packed, file, tmp_path):
    packed(("x.txt", "packed"), name="a/b.zip")
    file("a/c.txt", "plain")
    assert titles(read(tmp_path / "a")) == ["packed", "plain"]


def test_a_bomb_is_refused_by_its_ratio(read, packed):
    with pytest.raises(InputError, match="above a ratio of 200 an archive is refused: unpack it yourself"):
        read(packed(("bomb.txt", b"0" * (11 * 2**20))))


def test_a_small_repetitive_member_is_read(read, packed):
    assert len(read(packed(("a.txt", b"word " * 10_000))).documents) == 1


@pytest.mark.parametrize(
    ("bound", "message"),
    [("MAX_ARCHIVE_FILES", "has 2 files; a zip archive may have 1"), ("MAX_ARCHIVE_BYTES", "holds 2 by")],
)
def test_the_number_and_the_size_of_members_are_bounded(read, packed, monkeypatch, bound, message):
    path = packed(("a.txt", "a"), ("b.txt", "b"))
    monkeypatch.setattr(limits, bound, 1)
    with pytest.raises(InputError, match=message):
        read(path)


def test_a_name_that_is_no_path_is_refused(read, packed):
    with pytest.raises(InputError, match="whose name has 5,004 characters; at most 1,024 are read: unpack"):
        read(packed(("a" * 5_000 + ".txt", "a")))


def test_messages_quote_little_of_a_damaged_archive(read, packed):
    path = packed(("a" * 500 + ".txt", "a"))
    path.write_bytes(path.read_bytes().replace(b"aaaa.txt", b"\0\0\0\0.txt", 1))
    with pytest.raises(InputError, match=r"cut or damaged \(File name in directory 'a{176}\); fetch"):
        read(path)


def test_an_encrypted_archive_is_refused(read, packed):
    path = packed(("a.txt", "text"))
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(signature) + offset
        struct.pack_into("<H", data, at, 1)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"is encrypted \(a\.txt needs a password\)"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04"])
def test_a_damaged_archive_is_an_input_error(read, file, content):
    with pytest.raises(InputError, match="no complete zip archive"):
        read(file("a.zip", content))


def test_a_member_with_a_wrong_checksum_is_skipped_after_the_others(read, packed):
    path = packed(("a.txt", "good"), ("b.txt", "damaged"), compression=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"damaged", b"dameged"))
    outcome = read(path)
    assert titles(outcome) == ["good"]
    assert "a.zip/b.txt is cut or damaged (Bad CRC-32" in str(outcome.problems[0])


def test_an_archive_without_readable_files_is_an_input_error(read, packed):
    with pytest.raises(InputError, match=r"no files to read in the archive .*x\.pdf is a PDF document"):
        read(packed(("x.pdf", "%PDF-1.4")))


def test_a_missing_archive_is_an_input_error(read, tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        read(tmp_path / "a.zip")


def test_a_beir_data_set_in_an_archive_gives_its_corpus(read, packed):
    path = packed(
        ("set/corpus.jsonl", '{"_id": "1", "text": "island"}'), ("set/queries.jsonl", '{"text": "q"}')
    )
    assert [document.id for document in read(path).documents] == ["1"]


def test_an_archive_without_queries_is_an_input_error(packed):
    problems: list[object] = []
    queries = read_queries(str(packed(("pages.csv", "page,visits\nx,1\n"))), problems.append)
    with pytest.raises(InputError, match=r"no queries in .*pages\.csv has no column of queries"):
        list(queries)
    assert len(problems) == 1
