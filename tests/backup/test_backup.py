"""Backups of workspaces and their restoration, in Python; tests/cli/test_cli_backup.py has the commands."""

import io
import json
import os
import shutil
import signal
import stat
import tarfile
import threading
from pathlib import Path

import pytest
import zstandard

from querykin import Workspace
from querykin.backup import back_up, restore
from querykin.backup import backup as backup_module
from querykin.build_policy import BuildPolicy
from querykin.clustering.hand_changes import HandChange
from querykin.clustering.keyword_lists import SourceFile
from querykin.errors import DamagedFile, InputError, UnknownName, WorkspaceError
from querykin.integrity import corrupted_files, find_damage, repair
from querykin.model_files import Model
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.judgement_store import JudgementStore
from querykin.storage.store import Store
from recorded_progress import Recorded
from topics import DOCUMENTS, QUERIES

MEASURE = "jaccard"


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """A workspace with something of everything."""
    workspace = Workspace.open(tmp_path_factory.mktemp("stock") / "workspace")
    workspace.corpus.add(DOCUMENTS[:30])
    workspace.repository.add([(query, 1) for query in QUERIES])
    workspace = workspace.reopen()
    workspace.build(MEASURE)
    workspace.models.write(Model("tweak", "mine", {"features": ["bias"], "weights": [0.5], "results": 30}))
    workspace.hand_changes.add(HandChange(QUERIES[0], QUERIES[1]))
    file = workspace.path.parent / "list.csv"
    file.write_text("query\ngarden hose\nrake\n")
    queries = CountedQueries.collect([("garden hose", 1), ("rake", 1)])
    listed = workspace.keyword_lists.add("list.csv", queries, SourceFile(file))
    workspace.beside(listed.folder).build(MEASURE)
    JudgementStore(workspace.path).record("garden hose", "rake", 2.0, "ann", "free")
    (workspace.path / "notes.txt").write_text("not ours")
    return workspace


@pytest.fixture
def own(stock, tmp_path):
    """A copy of the workspace to change."""
    shutil.copytree(stock.path, tmp_path / "own")
    return Workspace.open(tmp_path / "own")


@pytest.fixture(scope="module")
def saved(stock, tmp_path_factory):
    """A backup of the workspace."""
    target = tmp_path_factory.mktemp("backup") / "saved.tar.zst"
    back_up(stock, target)
    return target


def _content(path):
    files = (each for each in path.rglob("*") if each.is_file())
    skipped = ("lock", "notes.txt", "judgements.db", "judgements.db-wal", "judgements.db-shm")
    return {
        each.relative_to(path): each.read_bytes()
        for each in files
        if each.name not in skipped and not each.name.endswith(".lock")
    }


def _flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def _file(workspace, pattern):
    return next(each for each in sorted(workspace.path.glob(pattern)) if each.stat().st_size > 130)


INDEX_FILE = "index/words/parts/segment-*/query_ids.npy"
CORPUS_FILE = "corpus/parts/segment-*/tokens.npy"


def test_a_restored_workspace_is_equal(stock, saved, tmp_path):
    found = restore(saved, tmp_path / "new")
    assert found.files > 50
    assert _content(tmp_path / "new") == _content(stock.path)
    again = Workspace.open(tmp_path / "new")
    assert corrupted_files(again) == []
    assert again.suggester(MEASURE).match(QUERIES[:3], 3) == stock.suggester(MEASURE).match(QUERIES[:3], 3)
    assert [given.grade for given in JudgementStore(tmp_path / "new").given("free")] == [2.0]


def test_private_files_stay_private_and_so_is_the_backup(saved, tmp_path):
    restore(saved, tmp_path / "new")
    for path in (saved, tmp_path / "new" / "judgements.db"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_backup_is_a_tar_archive(saved):
    with zstandard.open(saved) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        names = archive.getnames()
    assert names[0] == "querykin-backup.json"
    assert "corpus/manifest.json" in names
    assert not [name for name in names if "notes.txt" in name or name.endswith("/lock")]


def test_what_is_derived_is_copied_before_what_it_is_derived_from(saved):
    with zstandard.open(saved) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        tops = list(dict.fromkeys(name.split("/")[0] for name in archive.getnames()))
    order = [tops.index(name) for name in ("index", "keyword-lists", "repository", "corpus")]
    assert order == sorted(order)


def test_a_backup_is_consistent_while_others_write(own, tmp_path):
    stop = threading.Event()
    failed = []

    def write():
        n = 0
        while not stop.is_set():
            n += 1
            try:
                workspace = Workspace.open(own.path)
                workspace.repository.add([(f"query number {n}", 1)])
                workspace = workspace.reopen()
                workspace.build(MEASURE)
                workspace.hand_changes.add(HandChange(f"query number {n}"))
            except Exception as error:
                failed.append(error)
                raise

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(5):
            back_up(own, tmp_path / f"{n}.tar.zst")
    finally:
        stop.set()
        writer.join()
    assert failed == []
    for n in range(5):
        restore(tmp_path / f"{n}.tar.zst", tmp_path / str(n))
        found = Workspace.open(tmp_path / str(n))
        assert corrupted_files(found) == []
        index, ids = found.indexes.built()["words"], len(found.repository.counts)
        assert all((segment.query_ids < ids).all() for segment in index.segments)


def test_damaged_original_data_is_refused_and_the_old_backup_stays(own, tmp_path):
    target = tmp_path / "saved.tar.zst"
    back_up(own, target)
    before = target.read_bytes()
    _flip(_file(own, CORPUS_FILE))
    with pytest.raises(WorkspaceError, match=r"tokens\.npy .*--only corpus"):
        back_up(own, target, replace=True)
    assert target.read_bytes() == before
    assert set(os.listdir(tmp_path)) == {"own", target.name}


@pytest.mark.parametrize("name", ["models/mine.json", "hand-changes.json", "judgements.db"])
def test_damaged_single_files_are_refused(name, own, tmp_path):
    path = own.path / name
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(WorkspaceError, match=f"no backup was made: .*{path.name}"):
        back_up(own, tmp_path / "saved.tar.zst")


def test_damaged_derived_data_is_left_out_with_a_message(own, tmp_path):
    _flip(_file(own, INDEX_FILE))
    recorded = Recorded()
    back_up(own, tmp_path / "saved.tar.zst", progress=recorded)
    assert any("left out" in line and "query_ids.npy" in line for line in recorded.lines)
    restore(tmp_path / "saved.tar.zst", tmp_path / "new")
    found = Workspace.open(tmp_path / "new")
    assert corrupted_files(found) == []
    assert not (found.path / "index").exists()
    found.build(MEASURE)
    assert found.suggester(MEASURE).match(["space"], 3)[0].suggestions


def test_what_exists_is_replaced_only_on_request_and_only_if_it_is_a_backup(own, tmp_path):
    target = tmp_path / "saved.tar.zst"
    target.write_bytes(b"something else")
    with pytest.raises(InputError, match="exists; next: --replace"):
        back_up(own, target)
    with pytest.raises(InputError, match="is not a backup of querykin, and is not replaced"):
        back_up(own, target, replace=True)
    assert target.read_bytes() == b"something else"
    target.unlink()
    back_up(own, target)
    before = target.read_bytes()
    back_up(own, target, replace=True)
    assert target.read_bytes() != before


def test_a_backup_does_not_go_into_its_workspace_or_a_folder(own, tmp_path):
    with pytest.raises(InputError, match="is in the workspace"):
        back_up(own, own.path / "saved.tar.zst")
    with pytest.raises(InputError, match=r"is a folder; .*workspace\.tar\.zst"):
        back_up(own, tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        back_up(own, tmp_path / "missing" / "saved.tar.zst")
    with pytest.raises(WorkspaceError, match="there is no workspace"):
        back_up(Workspace.open(tmp_path / "nothing"), tmp_path / "saved.tar.zst")


def test_a_full_disk_is_named(own, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")

    def full(writer, left_out):
        with open("/dev/full", "wb", buffering=0) as device:
            device.write(b"x")

    monkeypatch.setattr(backup_module.ArchiveWriter, "finish", full)
    target = own.path.parent / "saved.tar.zst"
    with pytest.raises(WorkspaceError, match=r"no space is left for .*saved\.tar\.zst"):
        back_up(own, target)
    assert os.listdir(own.path.parent) == ["own"]


# Restoring.


def test_a_workspace_is_replaced_only_on_request(own, saved):
    own.repository.add([("brand new", 1)])
    with pytest.raises(WorkspaceError, match="holds a workspace; next: --replace"):
        restore(saved, own.path)
    restore(saved, own.path, replace=True)
    assert Workspace.open(own.path).repository.ids_of(["brand new"])[0] == -1
    assert (own.path / "notes.txt").read_text() == "not ours"
    assert not [each for each in os.listdir(own.path) if each.startswith(".")]


def test_a_workspace_that_is_being_written_to_is_not_replaced(own, saved):
    before = _content(own.path)
    with own.repository.store.writing(), pytest.raises(WorkspaceError, match="another process is writing"):
        restore(saved, own.path, replace=True)
    assert _content(own.path) == before


@pytest.mark.parametrize("at", [100, 1_000, -1_000, -30])
def test_a_damaged_backup_changes_nothing(at, own, saved, tmp_path):
    content = bytearray(saved.read_bytes())
    content[at] ^= 0xFF
    (tmp_path / "bad").write_bytes(bytes(content))
    (tmp_path / "cut").write_bytes(content[:at])
    before = _content(own.path)
    for name in ("bad", "cut"):
        with pytest.raises((WorkspaceError, InputError), match=f"{name} is (a damaged backup|not a backup)"):
            restore(tmp_path / name, own.path, replace=True)
    assert _content(own.path) == before


def test_a_dry_run_verifies_and_writes_nothing(saved, tmp_path):
    assert restore(saved, tmp_path / "new", dry_run=True).files > 50
    assert not (tmp_path / "new").exists()


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


def test_one_damaged_store_is_restored_alone(own, saved):
    own.models.write(Model("tweak", "newer", {"features": ["bias"], "weights": [0.1], "results": 30}))
    _flip(_file(own, CORPUS_FILE))
    (damage,) = find_damage(own)
    assert damage.remedy == "querykin restore BACKUP --only corpus"
    restore(saved, own.path, only=["corpus"])
    assert corrupted_files(own) == []
    assert own.models.names() == ["mine", "newer"]
    # The corpus had not changed since the backup: what was derived from it stays.
    assert own.reopen().suggester(MEASURE).match(["space"], 3)[0].suggestions


def test_data_that_is_not_damaged_is_replaced_only_on_request(own, saved):
    with pytest.raises(WorkspaceError, match=r"models is not damaged; next: --replace"):
        restore(saved, own.path, only=["models"])
    restore(saved, own.path, only=["models"], replace=True)
    with pytest.raises(UnknownName, match="unknown name of original data 'index'"):
        restore(saved, own.path, only=["index"])


def test_an_index_of_newer_queries_is_not_used_with_older_ones(own, saved):
    own.repository.add([("saved later", 1)])
    own.reopen().build(MEASURE)
    before = own.repository.store_id
    restore(saved, own.path, only=["repository"], replace=True)
    found = own.reopen()
    assert found.repository.store_id != before
    found.repository.add([("red tulip", 1)])  # takes the id of "saved later"
    found = found.reopen()
    found.build(MEASURE)
    (ranking,) = found.suggester(MEASURE, filter="none").match(["tulip"], 1)
    assert [each.query for each in ranking.suggestions] == ["red tulip"]
    assert corrupted_files(found) == []


def test_judgements_of_an_old_write_ahead_log_do_not_come_back(own, saved):
    (own.path / "judgements.db-wal").write_bytes(b"old")
    restore(saved, own.path, only=["judgements"], replace=True)
    assert not (own.path / "judgements.db-wal").exists()
    assert corrupted_files(own) == []


@pytest.mark.parametrize("killed_at", range(0, 30, 4))
def test_a_killed_restore_leaves_the_old_or_finishes_with_the_new(killed_at, own, saved):
    """A process that is killed before its nth rename."""
    own.repository.add([("brand new", 1)])
    child = os.fork()
    if not child:
        renames, left = os.rename, [killed_at]

        def rename(*paths):
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            renames(*paths)

        os.rename = rename
        restore(saved, own.path, replace=True)
        os._exit(0)
    os.waitpid(child, 0)
    try:
        found = Workspace.open(own.path)
    except WorkspaceError as error:
        assert "was interrupted; next: run querykin restore again" in str(error)  # noqa: PT017
        restore(saved, own.path)  # finishes, and needs no --replace for it
        found = Workspace.open(own.path)
    assert corrupted_files(found) == []
    restore(saved, own.path, replace=True)
    assert Workspace.open(own.path).repository.ids_of(["brand new"])[0] == -1


# Repair.


@pytest.mark.parametrize(
    "pattern", [INDEX_FILE, "score-distributions/jaccard/parts/*/scores.npy", "index/words/manifest.json"]
)
def test_repair_deletes_damaged_derived_data_and_build_makes_it_again(pattern, own):
    _flip(_file(own, pattern))
    assert find_damage(own)[0].remedy == "querykin check --repair, then querykin build"
    (line,) = repair(own)
    assert "querykin build makes it again" in line
    assert corrupted_files(own) == []
    found = own.reopen()
    found.build(MEASURE)
    assert corrupted_files(found) == []
    assert _file(found, pattern)


def test_repair_never_deletes_original_data(own):
    for pattern in (CORPUS_FILE, "repository/parts/*/arena.npy", "models/mine.json"):
        _flip(next(iter(sorted(own.path.glob(pattern)))))
    before = _content(own.path)
    assert repair(own) == []
    assert _content(own.path) == before
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
    file = _file(own, pattern)
    _flip(file)
    own.build(measure)
    assert [line for line in recorded.lines if file.name in line and "is made again" in line]
    assert corrupted_files(own) == []


def test_the_first_use_makes_a_damaged_index_again(own):
    _flip(_file(own, "index/words/manifest.json"))
    assert own.suggester(MEASURE).match(["space"], 3)[0].suggestions
    assert corrupted_files(own) == []


def test_where_nothing_may_be_built_damage_is_an_error_and_stays(own):
    _flip(_file(own, "index/words/manifest.json"))
    with pytest.raises(DamagedFile, match=r"manifest\.json is damaged"):
        own.reopen(BuildPolicy.REFUSE).suggester(MEASURE)
    assert len(find_damage(own)) == 1
