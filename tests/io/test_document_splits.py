"""Splits of the input: read one by one they give the documents and reports of the whole."""

import gzip
import json
import pickle

import pytest

from querykin.io.documents import DocumentSources
from querykin.io.documents.reading_report import ReadingReport


def lines(count, text="Größe"):
    return [json.dumps({"id": str(n), "title": f"{text} {n}"}, ensure_ascii=False) for n in range(count)]


def read(paths, max_bytes):
    """The documents of all splits with their number of splits, and everything that was reported."""
    reported, noted, read_bytes = [], [], []
    sources = DocumentSources.discover(paths)
    listener = ReadingReport(
        sources.sources, lambda record: reported.append(str(record)), read_bytes.append, noted.append
    )
    splits = [list(documents) for documents in sources.read_splits(listener, max_bytes=max_bytes)]
    documents = [document for split in splits for document in split]
    assert sum(read_bytes) == sources.size
    return len(splits), documents, reported, noted


@pytest.mark.parametrize("max_bytes", [1, 50, 400, 10_000])
def test_ranges_of_lines_give_all_documents_and_reports(tmp_path, max_bytes):
    file = tmp_path / "a.jsonl"
    content = lines(30)
    content[17] = "{bad"
    content[3] = ""
    file.write_bytes("\ufeff".encode() + "\r\n".join(content).encode())
    splits, documents, reported, noted = read([file], max_bytes)
    assert [document.id for document in documents] == [str(n) for n in range(30) if n not in (3, 17)]
    assert len(reported) == 1
    assert f"{file}, line 18: not JSON" in reported[0]
    assert len(noted) == 1
    assert (splits > 1) == (max_bytes < 1000)
    assert {document.source for document in documents} == {"a.jsonl"}


@pytest.mark.parametrize("max_bytes", [1, 500, 10_000])
def test_files_are_grouped_in_runs(tmp_path, max_bytes):
    for n in range(10):
        (tmp_path / f"{n}.txt").write_text(f"Text {n} " * 10, "utf-8")
    splits, documents, _, _ = read([tmp_path], max_bytes)
    assert len(documents) == 10
    assert splits == {1: 10, 500: 2, 10_000: 1}[max_bytes]


def test_what_only_a_whole_file_tells_is_not_divided(tmp_path):
    text = "\n".join(lines(40))
    files = {
        "cp1252.jsonl": text.encode("cp1252"),
        "utf16.jsonl": text.encode("utf-16"),
        "cr.jsonl": text.replace("\n", "\r").encode(),
        "packed.jsonl.gz": gzip.compress(text.encode()),
        "array.json": json.dumps([json.loads(line) for line in lines(40)]).encode(),
        "table.csv": ("id,title\n" + "\n".join(f"{n},Größe {n}" for n in range(40))).encode(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        splits, documents, reported, _ = read([tmp_path / name], 100)
        assert (name, splits) == (name, 1)
        assert [document.title for document in documents] == [f"Größe {n}" for n in range(40)]
        assert not reported


def test_a_long_line_is_in_one_range(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([*lines(3), *lines(1, "x" * 1000), *lines(3)]), "utf-8")
    splits, documents, _, _ = read([file], 100)
    assert len(documents) == 7
    assert 1 < splits < 7


def test_a_file_without_documents_is_named_with_its_first_bad_line(tmp_path):
    (tmp_path / "bad.jsonl").write_text("\n".join(["", *["[1]"] * 50]), "utf-8")
    with pytest.raises(Exception, match=r"no documents in .*bad\.jsonl: line 2: a JSON object is needed"):
        read([tmp_path / "bad.jsonl"], 50)


def test_splits_can_be_sent_to_another_process(tmp_path):
    (tmp_path / "page.html").write_text("<title>Tea</title>", "utf-8")
    splits = list(DocumentSources.discover([tmp_path]).splits())
    assert pickle.loads(pickle.dumps(splits)) == splits
