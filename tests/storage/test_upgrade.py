"""Upgrade of a workspace of querykin 0.1: the same results, and recovery if killed at any step."""

import errno
import json
import os
import shutil
import tarfile
from dataclasses import fields, replace
from pathlib import Path

import pytest

from querykin import MissingExtra, Workspace, WorkspaceError
from querykin.index.index import Build
from querykin.storage.store import FORMAT, Store, locked
from querykin.storage.upgrade import MOVED_FOLDERS, upgrade_workspace
from querykin.types import Change

FIXTURES = Path(__file__).parent.parent / "fixtures"
EXPECTED = json.loads((FIXTURES / "workspace-0.1.json").read_text("utf-8"))
INDEXES = ("latent", "web-kernel", "words")  # one of each layout, for tests that upgrade many times


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """The workspace as querykin 0.1 left it; tests only copy it."""
    folder = tmp_path_factory.mktemp("original")
    with tarfile.open(FIXTURES / "workspace-0.1.tar.xz") as archive:
        # Python 3.11.0 to 3.11.3 have no filters; the archive is our own.
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder / "workspace"


@pytest.fixture
def old(original, tmp_path) -> Path:
    """A copy with fewer indexes."""

    def others(folder: str, names: list[str]) -> set[str]:
        return set(names) - set(INDEXES) if Path(folder).name == "index" else set()

    return shutil.copytree(original, tmp_path / "old", ignore=others)


@pytest.fixture
def upgraded(original, tmp_path) -> Path:
    path = shutil.copytree(original, tmp_path / "upgraded")
    upgrade_workspace(path)
    return path


def content(path: Path) -> dict[str, bytes]:
    """All files but locks."""
    return {
        file.relative_to(path).as_posix(): file.read_bytes()
        for file in path.rglob("*")
        if file.is_file() and file.name != "lock"
    }


def manifests(path: Path) -> dict[str, dict]:
    files = path.rglob("manifest.json")
    return {file.parent.relative_to(path).as_posix(): json.loads(file.read_text("utf-8")) for file in files}


def check_no_half_state(path: Path) -> None:
    """Every manifest lists files that are there; a moved store is where the reader of the corpus looks."""
    found = {name: raw for name, raw in manifests(path).items() if not name.startswith(".")}
    for name, raw in found.items():
        for part, files in raw["parts"].items():
            for file, (size, _) in files.items():
                assert (path / name / "parts" / part / file).stat().st_size == size
    for before, after in MOVED_FOLDERS.items():
        name = after if found["corpus"]["format"] == FORMAT else before
        assert found[name]["format"] == found["corpus"]["format"]


def test_a_workspace_of_0_1_is_refused_with_the_command_that_upgrades_it(original):
    with pytest.raises(WorkspaceError, match=r"written by querykin 0\.1 .*next: querykin upgrade"):
        Workspace.open(original).similarity("space exploration", "moon mission")


EMBEDDINGS = ("static", "dense", "latent")  # since 0.2 their rows are rounded to 8 bits
ROUNDING = 2e-3
LEARNED = ("tweak", "web-relevance")  # since 0.2 the weights that are shipped are others


def expect_suggestions_of_0_1(workspace: Workspace, measure: str, rounding: float) -> None:
    for expected in EXPECTED["suggest"][measure]:
        found = workspace.suggest(expected["query"], 5, measure=measure)
        assert found.covered == expected["covered"]
        assert [(each.query, each.count) for each in found.suggestions] == [
            (each["query"], each["count"]) for each in expected["suggestions"]
        ]
        assert [each.score for each in found.suggestions] == pytest.approx(
            [each["score"] for each in expected["suggestions"]], abs=rounding
        )


def test_an_upgraded_workspace_gives_the_results_of_0_1_without_a_build(upgraded):
    converted, workspace = manifests(upgraded), Workspace.open(upgraded)
    assert not workspace.corpus.lacks_postings  # added when the corpus is first opened
    before = manifests(upgraded)
    assert before | {"corpus": None} == converted | {"corpus": None}
    for measure in EXPECTED["suggest"].keys() - {*EMBEDDINGS, *LEARNED}:
        expect_suggestions_of_0_1(workspace, measure, 1e-9)
    assert manifests(upgraded) == before


def test_indexes_of_embeddings_are_built_again_with_nearly_the_same_results(upgraded):
    for measure in EXPECTED["suggest"].keys() & set(EMBEDDINGS):
        workspace = Workspace.open(upgraded)
        assert workspace.index(measure).committed is None
        expect_suggestions_of_0_1(workspace, measure, ROUNDING)
        assert workspace.reopen().index(measure).committed


def test_indexes_of_other_learned_weights_are_refused_until_they_are_built_again(upgraded):
    measures = EXPECTED["suggest"].keys() & set(LEARNED)
    assert measures
    for measure in measures:
        with pytest.raises(WorkspaceError, match=f"next: querykin build --measures {measure}"):
            Workspace.open(upgraded).suggest("space exploration", measure=measure)
        Workspace.open(upgraded).build(measure)
        Workspace.open(upgraded).suggest("space exploration", measure=measure)


def test_an_upgraded_workspace_explains_and_scores_as_0_1_did(upgraded):
    workspace, expected = Workspace.open(upgraded), EXPECTED["explain"]
    found = workspace.explain(expected["a"], expected["b"], measure=expected["measure"])
    assert {each.term: each.share for each in found.contributions} == pytest.approx(
        {each["term"]: each["share"] for each in expected["contributions"]}, abs=1e-9
    )
    assert [(each.document, each.text) for each in found.passages] == [
        (each["document"], each["text"]) for each in expected["passages"]
    ]
    pair = EXPECTED["similarity"]
    for measure, score in pair["scores"].items():
        if measure in LEARNED:
            continue
        try:
            similarity = workspace.similarity(pair["a"], pair["b"], measure=measure)
        except MissingExtra:
            continue
        assert similarity == pytest.approx(score, abs=ROUNDING if measure in EMBEDDINGS else 1e-9), measure


def test_every_store_is_converted_and_intact(upgraded):
    found = manifests(upgraded)
    assert {raw["format"] for raw in found.values()} == {FORMAT}
    assert {"cooccurrence", "query-log", "corpus", "repository", "latent"} <= set(found)
    assert not [name for name in MOVED_FOLDERS if (upgraded / name).exists()]
    for name, raw in found.items():
        store = Store(upgraded / name, raw["kind"])
        assert store.corrupted_files() == []
        listed = {f"{part}/{file}" for part, files in raw["parts"].items() for file in files}
        assert {
            name for name in content(store.path / "parts") if not name.endswith((".lock", "/.part"))
        } <= listed


def test_tombstones_become_a_separate_part(upgraded):
    metadata = manifests(upgraded)["corpus"]["metadata"]
    assert not list((upgraded / "corpus").rglob("dead.npy"))
    assert (upgraded / "corpus" / "parts" / metadata["tombstones"] / "tombstones.npy").is_file()


def test_documents_and_queries_belong_to_the_default_source(upgraded):
    workspace = Workspace.open(upgraded)
    assert workspace.corpus.sources() == {"default": len(workspace.corpus)}
    assert workspace.repository.sources() == {"default": len(workspace.repository)}


def test_documents_that_are_added_again_after_the_upgrade_are_recognized(upgraded):
    corpus = Workspace.open(upgraded).corpus
    generation, documents = corpus.generation, list(corpus.documents())
    assert corpus.add(documents) == Change(unchanged=len(documents))
    assert corpus.generation == generation
    corpus.add([replace(documents[0], title="another title")])
    assert corpus.document(documents[0].id).title == "another title"


def test_a_removed_query_stays_removed(old):
    upgrade_workspace(old)
    repository = Workspace.open(old).repository
    text = repository.query(int(repository.live_ids()[0]))
    assert repository.remove_source("default") == Change(removed=12)
    assert (len(repository), repository.ids_of([text]).tolist()) == (0, [-1])


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"not zstd" * 99)])
def test_damaged_texts_are_reported_and_the_corpus_is_not_changed(old, damage):
    damage(next((old / "corpus" / "parts").glob("segment-*/texts.zst")))
    with pytest.raises(WorkspaceError, match=r"missing|damaged"):
        upgrade_workspace(old)
    assert manifests(old)["corpus"]["format"] == 1


def test_an_interrupted_build_is_converted_as_well(old):
    path = old / "index" / "web-kernel" / "manifest.json"
    raw = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**raw, "facts": {"visible": None, "pending": raw["facts"]["visible"]}}))
    upgrade_workspace(old)
    metadata = manifests(old)["index/web-kernel"]["metadata"]
    assert metadata["committed"] is None
    assert set(metadata["in_progress"]) == {field.name for field in fields(Build)}
    assert " min_idf_coverage=0.4 " in metadata["in_progress"]["index_settings"]


def test_documents_and_queries_can_be_added_after_the_upgrade(upgraded):
    workspace = Workspace.open(upgraded)
    documents = len(workspace.corpus)
    workspace.corpus.remove(["moon"])
    workspace.repository.add([("moon rocket", 3)])
    assert (len(Workspace.open(upgraded).corpus), len(Workspace.open(upgraded).repository)) == (
        documents - 1,
        13,
    )


def test_an_up_to_date_workspace_is_not_changed(old):
    assert upgrade_workspace(old)
    before = content(old)
    with locked(old / "corpus"):
        assert upgrade_workspace(old) == []
    assert content(old) == before


def test_stores_are_named_before_they_are_converted_and_the_corpus_is_the_last(old):
    announced: list[str] = []
    converted = upgrade_workspace(old, announced.append)
    assert announced == converted
    assert announced[-1] == "corpus"
    assert sorted(announced[-4:-1]) == [f"index/{name}" for name in INDEXES]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(WorkspaceError, match="there is no workspace in"):
        upgrade_workspace(tmp_path / "nowhere")
    assert upgrade_workspace(tmp_path) == []  # an empty folder is an empty workspace


class Killed(BaseException):
    """Simulates a kill: not caught by handlers of Exception."""


STEPS = ("fsync", "link", "replace", "rename", "unlink", "mkdir", "rmdir")


def upgrade_killed_before(step: int, path: Path) -> bool:
    """Upgrade up to a step of the file system (0: to the end); returns whether it was killed there."""
    steps = 0

    def counting(name, original):
        def call(*arguments, **options):
            nonlocal steps
            steps += 1
            if steps == step:
                raise Killed
            return None if name == "fsync" else original(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, counting(name, getattr(os, name)))
        try:
            upgrade_workspace(path)
        except Killed:
            return True
    return False


def test_an_upgrade_killed_at_some_step_continues_when_it_is_run_again(old, tmp_path):
    """Every seventh; `python -m torture kills faults` has others, and all that the disk may refuse."""
    whole = shutil.copytree(old, tmp_path / "whole")
    upgrade_workspace(whole)
    expected, step, killed = content(whole), 0, True
    while killed:
        step += 7
        path = shutil.copytree(old, tmp_path / "killed", copy_function=os.link)  # files are never modified
        killed = upgrade_killed_before(step, path)
        check_no_half_state(path)
        upgrade_killed_before(0, path)
        assert content(path) == expected, f"killed before step {step}"
        shutil.rmtree(path)
    assert step > 100


def test_changes_by_0_1_after_a_killed_upgrade_are_converted(old):
    steps = iter(range(1, 1000))
    while not (old / "cooccurrence").exists():
        upgrade_killed_before(next(steps), old)
    path = old / "neighbours" / "manifest.json"
    raw = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**raw, "generation": 7}))
    upgrade_workspace(old)
    assert manifests(old)["cooccurrence"]["generation"] == 7


def test_without_hard_links_files_are_copied(old, tmp_path, monkeypatch):
    linked = shutil.copytree(old, tmp_path / "linked")
    upgrade_workspace(linked)

    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    upgrade_workspace(old)
    assert content(old) == content(linked)


def test_a_workspace_that_another_process_writes_to_is_not_changed(old):
    before = content(old)
    with locked(old / "repository"), pytest.raises(WorkspaceError, match="another process is writing"):
        upgrade_workspace(old)
    assert content(old) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: {**raw, "format": 3}, "has format 3"),
        (lambda raw: {key: value for key, value in raw.items() if key != "kind"}, "is damaged"),
    ],
)
def test_a_manifest_that_cannot_be_converted_is_refused_before_anything_changes(old, change, message):
    path = old / "corpus" / "manifest.json"
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))))
    before = content(old)
    with pytest.raises(WorkspaceError, match=message):
        upgrade_workspace(old)
    assert content(old) == before


def test_a_missing_file_is_named_and_the_store_is_not_changed(old):
    next((old / "corpus" / "parts").glob("segment-*/keys.npy")).unlink()
    with pytest.raises(WorkspaceError, match=r"keys\.npy is damaged: it is missing"):
        upgrade_workspace(old)
    assert manifests(old)["corpus"]["format"] == 1
