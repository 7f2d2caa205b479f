"""Discovery of sources: files, folders, standard input, and their size."""

import gzip
import io
import os
from pathlib import Path

import pytest

from querykin.errors import InputError
from querykin.io.documents import DocumentSources, known_suffixes, read_documents
from querykin.io.documents.ids import with_id
from querykin.types import Document, SkippedFile, SkippedRecord

RECORD = '{"id": "1", "text": "island"}\n'


def unexpected(problem: SkippedRecord) -> None:
    raise AssertionError(problem)


def test_sources_are_checked_before_the_first_document_is_read(file):
    good = file("a.jsonl", RECORD)
    with pytest.raises(InputError, match="missing"):
        read_documents([good, good.parent / "missing.jsonl"], unexpected)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*missing\.txt: No such file"):
        read_documents([tmp_path / "missing.txt"], unexpected)


def test_the_error_for_an_unknown_suffix_lists_the_known_ones(file):
    with pytest.raises(InputError) as caught:
        read_documents([file("a.pdf", "x")], unexpected)
    assert "unknown ending '.pdf'" in str(caught.value)
    assert known_suffixes() in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo") or os.name == "nt", reason="no named pipes")
def test_a_named_pipe_is_refused_without_being_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(InputError, match="not a regular file"):
        read_documents([tmp_path / "pipe.jsonl"], unexpected)


def test_a_path_with_nul_is_an_input_error():
    with pytest.raises(InputError, match="cannot read"):
        read_documents(["a\0b.txt"], unexpected)


def test_no_sources_at_all_is_an_input_error():
    with pytest.raises(InputError, match="nothing to read"):
        read_documents([], unexpected)


def test_standard_input_twice_is_an_input_error():
    with pytest.raises(InputError, match="twice"):
        read_documents(["-", "-"], unexpected)


def test_an_unreadable_file_is_an_input_error(file, monkeypatch):
    path = file("a.jsonl", RECORD)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"cannot read .*a\.jsonl: Permission denied"):
        read_documents([path], unexpected)


def test_a_file_that_vanishes_after_the_check_is_an_input_error(file):
    path = file("a.jsonl", RECORD)
    documents = read_documents([path], unexpected)
    path.unlink()
    with pytest.raises(InputError, match="cannot read"):
        next(documents)


def test_a_failing_disk_is_an_input_error():
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match="cannot read standard input: Input/output error"):
        next(read_documents(["-"], unexpected, stdin=Failing()))


def test_a_folder_is_walked_in_order_without_hidden_and_unknown_files(read, file, tmp_path):
    for name in ("b.txt", "a/z.txt", "a/b/y.md", ".hidden.txt", ".git/x.txt", "picture.png", "C.TXT"):
        file(name, f"text of {name}")
    names = [document.title.removeprefix("text of ") for document in read(tmp_path).documents]
    assert names == ["C.TXT", "b.txt", "a/z.txt", "a/b/y.md"]


def test_a_web_page_without_a_known_ending_is_read(read, file, tmp_path):
    file("about", "<!doctype html><title>About</title><p>Us.")
    file("list.php?page=2", "<html><title>List</title><p>More.")
    assert [document.title for document in read(tmp_path).documents] == ["About", "List"]


def test_a_folder_without_known_files_is_an_input_error(file, tmp_path):
    file("picture.png", "x")
    with pytest.raises(InputError, match=r"no files to read in the folder .*\.jsonl"):
        read_documents([tmp_path], unexpected)


def test_ids_of_files_depend_on_their_content_alone(read, file):
    one, two, copy = file("x/a.txt", "one"), file("y/a.txt", "two"), file("copy.txt", "one")
    ids = [document.id for document in read(one, two, copy).documents]
    assert ids[0] == ids[2] != ids[1]
    assert [document.id for document in read(one).documents] == ids[:1]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_beir_folder_gives_its_corpus_only(read, file, tmp_path, ending):
    corpus = '{"_id": "d1", "title": "", "text": "island", "metadata": {}}\n'
    file(f"corpus.jsonl{ending}", gzip.compress(corpus.encode()) if ending else corpus)
    file("queries.jsonl", '{"_id": "q1", "text": "java"}\n')
    file("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (document,) = read(tmp_path).documents
    assert (document.id, document.title, document.text) == ("d1", "", "island")
    assert document.fields == {"metadata": {}}


def test_a_file_without_documents_is_an_input_error_with_its_first_problem(read, file):
    with pytest.raises(InputError, match=r"no documents in .*a\.jsonl: line 1: not JSON"):
        read(file("a.jsonl", "nonsense\n{}\n"))


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.txt", "a.html"])
def test_an_empty_file_is_an_input_error(read, file, name):
    with pytest.raises(InputError, match="no documents in"):
        read(file(name, ""))


def test_a_file_without_documents_in_a_folder_is_reported(read, file, tmp_path):
    empty = file("a.txt", "\n\n")
    file("b.txt", "text")
    documents, problems = read(tmp_path)
    assert [document.title for document in documents] == ["text"]
    reason = f"{empty}: no documents: nothing to read was found in it"
    assert problems == [SkippedFile(str(empty), None, reason)]


def test_a_folder_of_empty_files_is_an_input_error(read, file, tmp_path):
    file("a.txt", "")
    file("b.txt", "")
    with pytest.raises(InputError, match=r"no documents in .*: nothing to read"):
        read(tmp_path)


@pytest.mark.parametrize("content", [b"", b" \n", b"\x00\x01\x02\xff"])
def test_standard_input_without_text_is_an_input_error(read, content):
    with pytest.raises(InputError, match="no documents in standard input"):
        read("-", stdin=io.BytesIO(content))


def test_standard_input_is_that_of_the_process_by_default(read, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'[{"title": "Java"}]')))
    (document,) = read("-").documents
    assert document == with_id(Document("", "Java"))


def test_prose_with_commas_on_standard_input_is_plain_text(read):
    (document,) = read("-", stdin=io.BytesIO(b"Java, an island\n\nof Indonesia")).documents
    assert document.title == "Java, an island"


def test_documents_without_ids_from_two_pipes_do_not_replace_each_other(read):
    names = [read("-", stdin=io.BytesIO(text)).documents[0].id for text in (b"one", b"two", b"one")]
    assert names[0] == names[2] != names[1]


def test_progress_adds_up_to_the_size_of_the_sources(read, file, compression):
    ending, compress = compression
    content = b"".join(b'{"text": "%d"}\n' % (number * 7919) for number in range(50_000))
    path, other = file(f"a.jsonl{ending}", compress(content)), file("b.txt", "text")
    sizes: list[int] = []
    read(path, other, progress=sizes.append)
    assert sum(sizes) == DocumentSources.discover([path, other]).size == path.stat().st_size + 4


def test_the_size_with_standard_input_is_unknown(file):
    assert DocumentSources.discover([file("a.txt", "text"), "-"]).size is None


def test_each_file_is_checked_once_for_its_size_and_its_documents(file, monkeypatch):
    opened: list[Path] = []
    original = Path.open
    path = file("a.jsonl", RECORD)
    monkeypatch.setattr(Path, "open", lambda self, *mode: opened.append(self) or original(self, *mode))
    sources = DocumentSources.discover([path])
    assert (sources.size, opened) == (len(RECORD), [path])
    assert [document.id for document in sources.read(unexpected)] == ["1"]
    assert opened == [path, path]


def test_an_abandoned_iterator_closes_its_file(file):
    documents = read_documents([file("a.jsonl", RECORD * 2)], unexpected)
    next(documents)
    documents.close()  # an open file would be a ResourceWarning, which the tests turn into an error
