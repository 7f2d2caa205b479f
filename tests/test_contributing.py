"""The examples of CONTRIBUTING.md run unchanged: a measure, an engine, a document reader and an export."""

import re
from pathlib import Path

import pytest

from querykin import Settings, Workspace
from querykin.io.documents import read_documents
from querykin.measures import measures
from querykin.search import engines
from querykin.settings import EngineSettings
from querykin.testing import check_engine, check_measure, check_search
from topics import DOCUMENTS

PAGE = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text("utf-8")


def example(title):
    """The code of one example, executed."""
    (code,) = re.findall(rf'^```python title="{title}"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)
    names = {"__name__": f"contributing_{title}"}
    exec(compile(code, f"CONTRIBUTING.md ({title})", "exec"), names)
    return names


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    """Remove what an example registered after the test."""
    for registry in (measures, engines):
        monkeypatch.setattr(registry, "_parts", dict(registry._parts))


def test_the_measure_works_from_a_bare_import_and_passes_the_conformance_checks():
    measure = example("measure")["FirstLetter"]()
    assert measure.score("garden hose", ["green house", "hose"]).tolist() == [1.0, 0.0]
    check_measure(measure, ["garden hose", "green house", "apple pie"])


def test_the_measure_searches_a_repository(build):
    example("measure")
    workspace = build(DOCUMENTS[:10])
    workspace.repository.add([("garden hose", 1), ("green house", 2), ("apple pie", 3)])
    check_search(workspace.reopen(), "first-letter", ["garden", "apples", ""])


def test_the_engine_passes_the_conformance_checks_and_is_chosen_by_the_settings(build):
    example("engine")
    workspace = build(DOCUMENTS)
    opened = Workspace.open(workspace.path, Settings(engine=EngineSettings(kind="titles")))
    check_engine(opened.expander.engine, "NASA")
    assert type(opened.expander.engine).__name__ == "TitleEngine"


def test_the_export_is_recognized_by_its_headers():
    export = example("export")["EXPORT"]
    assert export.matches({"suchbegriff", "suchanfragen", "suchergebnisseiten", "ausstiegsrate"})
    assert not export.matches({"suchbegriff", "suchanfragen"})


def test_the_reader_reads_documents(tmp_path):
    example("reader")
    file = tmp_path / "contacts.vcf"
    file.write_text("BEGIN:VCARD\nFN:Ada Lovelace\nNOTE:Wrote the first program.\nEND:VCARD\n", "utf-8")
    (document,) = read_documents([file], print)
    assert (document.title, document.text) == ("Ada Lovelace", "Wrote the first program.")
