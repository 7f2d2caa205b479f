"""Workspaces in object storage under killed and racing processes, the service, and a small cache."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import object_server
from querykin import Workspace
from querykin.integrity import corrupted_files
from querykin.settings import Settings
from querykin.settings_sections import StorageSettings
from topics import DOCUMENTS

PROGRAM = [sys.executable, "-c", "from querykin.cli import main; main()"]
QUERIES = "space exploration\t9\nnasa\t4\napple pie\t3\nbaking bread\t2\nsolar system\t1\n"


@pytest.fixture(scope="module")
def server():
    with object_server.running() as running:
        yield running


class Machine:
    """Runs commands with a cache of its own."""

    def __init__(self, folder: Path, server: object_server.ObjectServer, workspace: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.workspace = folder, workspace
        self.environment = {**server.environment(), "XDG_CACHE_HOME": str(folder)}

    def start(self, *arguments: str) -> subprocess.Popen:
        command = [*PROGRAM, *arguments, "--workspace", self.workspace]
        return subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def __call__(self, *arguments: str, code: int = 0) -> str:
        process = self.start(*arguments)
        out, error = process.communicate(timeout=600)
        assert process.returncode == code, error
        return out if code == 0 else error


@pytest.fixture
def machine(server, tmp_path, monkeypatch):
    for name, value in object_server.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    workspace = f"s3://{server.create_bucket()}/shop"
    yield lambda name="a": Machine(tmp_path / name, server, workspace)
    server.before = server.after = lambda method, path: None


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text(QUERIES)
    return str(path)


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "documents.jsonl"
    lines = [json.dumps({"id": each.id, "title": each.title, "text": each.text}) for each in DOCUMENTS]
    path.write_text("\n".join(lines))
    return str(path)


def opened(machine: Machine) -> Workspace:
    """The workspace as the machine sees it, in this process."""
    cache = StorageSettings(cache_dir=str(machine.folder / "querykin"))
    return Workspace.open(machine.workspace, Settings(storage=cache))


def stored(machine: Machine) -> list[str]:
    return [each.query for each in opened(machine).repository.by_count()]


def test_every_command_answers_as_with_a_folder(machine, queries, documents, tmp_path):
    remote, other = machine("a"), machine("b")
    folder = Machine(tmp_path / "local", _NoServer(), str(tmp_path / "local" / "workspace"))
    judged = tmp_path / "judged.tsv"
    rows = [
        "nasa\tspace exploration\t2",
        "nasa\tapple pie\t0",
        "baking bread\tapple pie\t2",
        "apple pie\tnasa\t0",
    ]
    judged.write_text("query\tcandidate\tgrade\n" + "\n".join(rows * 3) + "\n")
    for arguments in (
        ("corpus", "add", documents),
        ("repository", "add", queries),
        ("build", "--measures", "web-kernel,distributional"),
        ("block", "add", "solar"),
        ("train", "tweak", str(judged), "--name", "mine"),
        ("evaluate", str(judged), "--measures", "jaccard"),
    ):
        folder(*arguments)
        remote(*arguments)
    for arguments in (
        ("suggest", "rockets in space", "--measure", "web-kernel", "--format", "json", "--explain"),
        ("match", queries, "--measure", "distributional", "-k", "3", "--format", "tsv"),
        ("similarity", "nasa", "space exploration", "--measure", "mine", "--format", "json"),
        ("search", "space", "--format", "json"),
        ("corpus", "info", "--format", "json"),
        ("block", "list"),
        ("cluster", "--measure", "jaccard", "--format", "json"),
    ):
        assert other(*arguments) == folder(*arguments), arguments
    assert len(list((opened(machine("b")).path / "evaluations").glob("*.json"))) == 1
    other("check")
    other("check", "--repair")
    assert "upgrade converts a folder" in other("upgrade", code=1)


class _NoServer:
    def environment(self):
        return dict(os.environ)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_writer_killed_at_any_upload_leaves_the_state_before_or_after(machine, server, queries, moment):
    machine()("repository", "add", queries)
    before = stored(machine("reader"))
    number, outcomes = 0, []
    while True:
        number += 1
        writer = machine()
        added = Path(queries).with_name(f"more-{number}.txt")
        added.write_text(f"query {number}\n")
        process = _killed_at_put(server, writer, number, moment, "repository", "add", str(added))
        after = stored(machine("reader"))
        assert corrupted_files(opened(machine("reader"))) == []
        committed = after != before
        outcomes.append(committed)
        opened(writer).repository.add([f"query {number}"])  # run again
        before = stored(machine("reader"))
        assert f"query {number}" in before
        if process.returncode == 0:
            break
    assert number > 3
    # Only the last request, that for the manifest, makes the change.
    assert outcomes[:-1] == [False] * (number - 2) + [moment == "after"]


def _killed_at_put(server, machine, number, moment, *arguments):
    """Run a command and kill it at a PUT: before it is carried out, or before it is answered."""
    puts, process = [], machine.start(*arguments)

    def kill(method, path):
        if method == "PUT":
            puts.append(path)
            if len(puts) == number:
                process.send_signal(signal.SIGKILL)
                process.wait()
            if len(puts) >= number:
                return 503 if moment == "before" else None
        return None

    setattr(server, moment, kill)
    process.communicate(timeout=120)
    setattr(server, moment, lambda method, path: None)
    return process


def test_a_killed_build_is_continued_by_another_machine(machine, server, queries, documents, tmp_path):
    folder = Machine(tmp_path / "local", _NoServer(), str(tmp_path / "local" / "workspace"))
    for each in (folder, machine("a")):
        each("corpus", "add", documents)
        each("repository", "add", queries)
    process = _killed_at_put(server, machine("a"), 20, "before", "build", "--measures", "web-kernel")
    assert process.returncode == -signal.SIGKILL
    arguments = ("suggest", "rockets in space", "--measure", "web-kernel", "--format", "json")
    assert machine("b")(*arguments) == folder(*arguments)
    assert corrupted_files(opened(machine("c"))) == []


def test_a_reader_killed_in_a_download_leaves_nothing_that_is_used(machine, server, queries):
    machine("a")("repository", "add", queries)
    reader, gets = machine("b"), []
    process = reader.start("repository", "export")

    def kill(method, path):
        if method == "GET" and "/parts/" in path:
            gets.append(path)
            if len(gets) == 4:
                process.send_signal(signal.SIGKILL)
                process.wait()

    server.after = kill
    process.communicate(timeout=120)
    server.after = lambda method, path: None
    assert process.returncode == -signal.SIGKILL
    assert len(list(reader.folder.rglob(".remote/downloads/*"))) == 1
    assert "space exploration" in reader("repository", "export")
    assert list(reader.folder.rglob(".remote/downloads/*")) == []


@pytest.mark.parametrize("shared_cache", [False, True])
def test_nothing_is_lost_when_writers_race(machine, tmp_path, shared_cache):
    names = ["a", "a"] if shared_cache else ["a", "b"]
    script = """
import sys
from querykin import Workspace, WorkspaceError
refused = 0
for number in range(8):
    while True:
        try:
            Workspace.open(sys.argv[1]).repository.add([f"{sys.argv[2]} {number}"])
            break
        except WorkspaceError as error:
            assert "run the command again" in str(error) or "try again later" in str(error), error
            refused += 1
print(refused)
"""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, machine(name).workspace, f"writer {number}"],
            env=machine(name).environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number, name in enumerate(names)
    ]
    refused = sum(int(writer.communicate(timeout=300)[0]) for writer in writers)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert set(stored(machine("reader"))) == {
        f"writer {writer} {number}" for writer in (0, 1) for number in range(8)
    }
    assert shared_cache or refused > 0
    assert corrupted_files(opened(machine("reader"))) == []


def test_the_cache_is_bounded_over_processes(machine, documents, queries, tmp_path):
    machine("a")("corpus", "add", documents)
    machine("a")("repository", "add", queries)
    machine("a")("build", "--measures", "web-kernel,jaccard")
    config = tmp_path / "settings.toml"
    config.write_text("[storage]\ncache_bytes = 1000000\n")
    reader = machine("b")
    for measure in ("web-kernel", "jaccard") * 2:
        answer = reader("suggest", "space", "--measure", measure, "--config", str(config), "--format", "json")
        assert json.loads(answer)[0]["suggestions"]
    sizes = [file.stat().st_size for file in reader.folder.rglob("parts/**/*") if file.is_file()]
    assert sum(sizes) <= 1_000_000 or _bytes_in_use(reader, config) > 1_000_000


def _bytes_in_use(reader, config):
    """What one command needs at the same time."""
    shutil.rmtree(reader.folder)
    reader("suggest", "space", "--measure", "web-kernel", "--config", str(config))
    return sum(file.stat().st_size for file in reader.folder.rglob("parts/**/*") if file.is_file())


def test_a_service_shows_what_another_machine_builds(machine, documents, queries, tmp_path):
    writer = machine("a")
    writer("corpus", "add", documents)
    writer("repository", "add", queries)
    writer("build", "--measures", "web-kernel")
    log = tmp_path / "log"
    with log.open("w") as messages:
        reader = machine("b")
        command = [*PROGRAM, "serve", "--port", "0", "--workspace", reader.workspace]
        service = subprocess.Popen(command, env=reader.environment, stderr=messages)
    try:
        address = _address(service, log)
        assert "moon landing" not in _suggested(address)
        more = Path(queries).with_name("more.txt")
        more.write_text("moon landing by nasa in space\n")
        writer("repository", "add", str(more))
        writer("build", "--measures", "web-kernel")
        deadline = time.monotonic() + 60
        while "moon landing" not in _suggested(address):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.5)
        assert service.poll() is None
    finally:
        service.terminate()
        service.wait(60)


def _address(service, log):
    while service.poll() is None:
        if match := re.search(r"http://127[^/]*/", log.read_text()):
            return match[0]
        time.sleep(0.2)
    raise AssertionError(log.read_text())


def _suggested(address):
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(
                f"{address}v1/suggest?q=space+nasa&k=50&measure=web-kernel"
            ) as answer:
                return answer.read().decode()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.2)
