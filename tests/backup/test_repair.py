"""Damaged derived data is deleted on request, and made again when it is needed."""

import os
import shutil

import pytest

from querykin import Workspace
from querykin.build_policy import BuildPolicy
from querykin.errors import DamagedFile
from querykin.integrity import corrupted_files, find_damage, repair
from querykin.storage.store import Store
from recorded_progress import Recorded
from saved import CORPUS_FILE, INDEX_FILE, MEASURE, file_of, flip, stored_content


@pytest.mark.parametrize(
    "pattern", [INDEX_FILE, "score-distributions/jaccard/parts/*/scores.npy", "index/words/manifest.json"]
)
def test_repair_deletes_damaged_derived_data_and_build_makes_it_again(pattern, own):
    flip(file_of(own, pattern))
    assert find_damage(own)[0].remedy == "querykin check --repair, then querykin build"
    (line,) = repair(own)
    assert "querykin build makes it again" in line
    assert corrupted_files(own) == []
    found = own.reopen()
    found.build(MEASURE)
    assert corrupted_files(found) == []
    assert file_of(found, pattern)


def test_repair_never_deletes_original_data(own):
    for pattern in (CORPUS_FILE, "repository/parts/*/arena.npy", "models/mine.json"):
        flip(next(iter(sorted(own.path.glob(pattern)))))
    before = stored_content(own.path)
    assert repair(own) == []
    assert stored_content(own.path) == before
    assert {each.entry.name for each in find_damage(own)} == {"corpus", "repository", "models"}


def test_repair_deletes_unlisted_parts_of_stores(own):
    with own.repository.store.writing():
        pass
    store = Store(own.path / "repository", "repository")
    store.new_part("queries")
    (line,) = repair(own)
    assert "1 part left by interrupted writers" in line


def test_repair_deletes_what_killed_writers_of_files_and_restores_left(own):
    old = own.path / "models" / ".mine.json.123-456"
    young = own.path / "models" / ".mine.json.123-457"
    for file in (old, young):
        file.write_text("{")
    os.utime(old, (0, 0))
    (own.path / ".restore-draft" / "new").mkdir(parents=True)
    assert len(repair(own)) == 2
    assert (old.exists(), young.exists(), (own.path / ".restore-draft").exists()) == (False, True, False)
    assert own.models.names() == ["mine"]


DERIVED = [
    (MEASURE, INDEX_FILE),
    (MEASURE, "index/words/parts/segment-*/weights.npy"),
    (MEASURE, "index/words/manifest.json"),
    (MEASURE, "score-distributions/jaccard/parts/*/scores.npy"),
    ("distributional", "cooccurrence/parts/counts-*/words-counts.npy"),
    ("distributional", "cooccurrence/manifest.json"),
]


@pytest.fixture(scope="module")
def counted(stock, tmp_path_factory):
    """The workspace with co-occurrence counts."""
    path = tmp_path_factory.mktemp("counted") / "workspace"
    shutil.copytree(stock.path, path)
    Workspace.open(path).build("distributional")
    return path


@pytest.mark.parametrize(("measure", "pattern"), DERIVED)
def test_a_build_makes_damaged_derived_data_again_and_says_so(measure, pattern, counted, tmp_path):
    shutil.copytree(counted, tmp_path / "own")
    recorded = Recorded()
    own = Workspace.open(tmp_path / "own", progress=recorded)
    file = file_of(own, pattern)
    flip(file)
    own.build(measure)
    assert [line for line in recorded.lines if file.name in line and "is made again" in line]
    assert corrupted_files(own) == []


def test_the_first_use_makes_a_damaged_index_again(own):
    flip(file_of(own, "index/words/manifest.json"))
    assert own.suggester(MEASURE).match(["space"], 3)[0].suggestions
    assert corrupted_files(own) == []


def test_where_nothing_may_be_built_damage_is_an_error_and_stays(own):
    flip(file_of(own, "index/words/manifest.json"))
    with pytest.raises(DamagedFile, match=r"manifest\.json is damaged"):
        own.reopen(BuildPolicy.REFUSE).suggester(MEASURE)
    assert len(find_damage(own)) == 1
