"""Files added in tasks: the same corpus as in one pass."""

import json

import pytest

from pickled_tasks import PickledTasks
from querykin.corpus.corpus import Corpus
from querykin.corpus.limits import CorpusLimits
from querykin.distributed.processes import Processes
from querykin.distributed.task_runner import ThisProcess
from querykin.errors import InputError
from querykin.io.columns import ColumnMapping
from querykin.io.documents import DocumentSources
from querykin.search.tantivy_engine import TantivyIndexer
from querykin.storage.store import Store
from stored_checksums import checksums

LIMITS = CorpusLimits(split_bytes=4000, segment_tokens=1500)
WORDS = ["Größe", "running", "ran", "informação", "apple", "naïve", "Straße", "boxes", "Universität", "tea"]


def words(number):
    """A text in which new words keep appearing."""
    known = [WORDS[(number * k) % len(WORDS)] for k in range(1, 12)]
    return " ".join([*known, f"word{number}s", f"édition{number // 3}"])


def write_lines(path, numbers, prefix=""):
    lines = [
        json.dumps({"id": f"{prefix}{n}", "title": f"Title {n}", "text": words(n)}, ensure_ascii=False)
        for n in numbers
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    """One file of several splits, two small ones, and a folder."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "page.html").write_text("<title>Tea</title><p>Boxes of tea", "utf-8")
    (folder / "broken.pdf.html").write_bytes(b"%PDF-1.7")
    return [
        write_lines(tmp_path / "large.jsonl", range(120)),
        write_lines(tmp_path / "small.jsonl", range(3), "s"),
        write_lines(tmp_path / "again.jsonl", range(50, 60)),
        folder,
    ]


def add(path, files, runner=None, language="en", **options):
    """Add files to the corpus in a folder; returns it with the change and what was reported."""
    corpus = Corpus(path, TantivyIndexer, language, LIMITS)
    reported = []
    if runner is not None:
        options["runner"] = runner
    columns = ColumnMapping.parse(options.pop("columns", ""), "documents")
    change = corpus.add_files(
        DocumentSources.discover(files),
        lambda record: reported.append(str(record)),
        columns=columns,
        **options,
    )
    return corpus, change, reported


@pytest.mark.parametrize("runner", [PickledTasks(), Processes(2)], ids=["here", "processes"])
def test_two_passes_make_the_corpus_of_one(tmp_path, files, runner):
    one, change, reported = add(tmp_path / "one", files)
    two, same_change, same_reported = add(tmp_path / "two", files, runner)
    assert len(one.segments) > 2
    assert same_change == change
    assert change.repeated == 10
    assert same_reported == reported
    assert "PDF" in str(reported)
    assert checksums(two) == checksums(one)
    assert not one._store.corrupted_files()
    assert not two._store.corrupted_files()
    left = {folder.name for folder in (tmp_path / "two" / "parts").iterdir()}
    assert left == set(two._store.manifest().parts)


def test_replacing_a_source_in_tasks_is_the_same(tmp_path, files):
    results = []
    changed = write_lines(tmp_path / "changed.jsonl", range(40, 160))
    for name, runner in (("one", None), ("two", PickledTasks())):
        add(tmp_path / name, files, runner)
        corpus, change, _ = add(tmp_path / name, [changed], runner, source="large.jsonl", replace=True)
        results.append((checksums(corpus), change, corpus.sources(), len(corpus)))
    assert results[0] == results[1]
    assert results[0][1].removed
    assert results[0][1].unchanged


def test_the_name_of_a_source_is_the_same(tmp_path, files):
    for name, runner in (("one", None), ("two", PickledTasks())):
        corpus, _, _ = add(tmp_path / name, files[1:2], runner, source=" Search\tConsole ")
        assert corpus.sources() == {"Search Console": 3}


def test_columns_and_languages_in_tasks_are_the_same(tmp_path):
    lines = [json.dumps({"Nr": n, "Name": f"Die Größe {n}", "Inhalt": words(n)}) for n in range(100)]
    file = tmp_path / "table.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    results = []
    for name, runner in (("one", None), ("two", PickledTasks())):
        columns = "id=Nr,title=Name,text=Inhalt"
        corpus, change, _ = add(tmp_path / name, [file], runner, "de,en", columns=columns)
        results.append((checksums(corpus), change))
    assert results[0] == results[1]


def test_a_recognized_language_is_the_same(tmp_path, files):
    one, _, _ = add(tmp_path / "one", files, None, "")
    two, _, _ = add(tmp_path / "two", files, PickledTasks(), "")
    assert one.recognition == two.recognition
    assert one.analyzer.codes == two.analyzer.codes


@pytest.mark.parametrize("runner", [None, PickledTasks()], ids=["one pass", "two passes"])
def test_a_bad_line_is_reported_with_its_number_in_the_file(tmp_path, files, runner):
    large = files[0]
    lines = large.read_text("utf-8").splitlines()
    lines[100] = "{broken"
    large.write_text("\n".join(lines), "utf-8")
    _, change, reported = add(tmp_path / "corpus", [large], runner)
    assert change.added == 119
    assert len(reported) == 1
    assert reported[0].startswith(f"{large}, line 101: not JSON")


@pytest.mark.parametrize("runner", [None, PickledTasks()], ids=["one pass", "two passes"])
def test_a_file_that_cannot_be_read_changes_nothing(tmp_path, files, runner):
    before, _, _ = add(tmp_path / "corpus", files[:1])
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(InputError, match=r"cut\.jsonl\.gz is cut or damaged"):
        add(tmp_path / "corpus", [files[1], cut, files[2]], runner)
    after = Corpus(tmp_path / "corpus", TantivyIndexer, "en", LIMITS)
    assert after.generation == before.generation
    assert {folder.name for folder in (tmp_path / "corpus" / "parts").iterdir()} == set(
        Store(tmp_path / "corpus", "corpus").manifest().parts
    )


def test_a_source_without_documents_is_an_error(tmp_path, files):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("[1]\n", "utf-8")
    messages = []
    for name, runner in (("one", None), ("two", PickledTasks())):
        with pytest.raises(InputError, match=r"no documents in .*line 1: a JSON object is needed") as caught:
            add(tmp_path / name, [files[0], empty], runner)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_tasks_do_not_read_standard_input(tmp_path):
    with pytest.raises(InputError, match="tasks cannot read standard input"):
        add(tmp_path, ["-"], PickledTasks())


def test_files_that_change_between_the_passes_are_an_error(tmp_path, files):
    class Meddling(ThisProcess):
        def results(self, function, tasks):
            yield from super().results(function, tasks)
            write_lines(files[0], range(200, 320))

    with pytest.raises(InputError, match="changed while being read; nothing was added"):
        add(tmp_path / "corpus", files[:1], Meddling())
    assert len(Corpus(tmp_path / "corpus", TantivyIndexer)) == 0
