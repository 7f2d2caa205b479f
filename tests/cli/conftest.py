"""The program as users run it: a process with arguments, files and pipes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAM = str(Path(sys.executable).with_name("querykin"))
DOCUMENTS = [
    {"id": "1", "title": "NASA", "text": "NASA leads space exploration with rockets and probes."},
    {"id": "2", "title": "Apple pie", "text": "An apple pie is baked in the oven with apples and sugar."},
    {"id": "3", "title": "Java", "text": "Java is a programming language and an island."},
    {"id": "4", "title": "ESA", "text": "The European agency explores space with rockets."},
]


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def messages(self) -> list[str]:
        """The lines on stderr, without the warning that four documents are few."""
        return [line for line in self.err.splitlines() if not line.startswith("warning: the corpus has only")]


@dataclass(frozen=True)
class Querykin:
    """Runs the program in a folder, on a workspace."""

    folder: Path
    workspace: Path
    forking: subprocess.Popen[bytes]

    def environment(self, **more: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("QUERYKIN_", "PYTHONUNBUFFERED"))}
        return {**kept, "QUERYKIN_WORKSPACE": str(self.workspace), "NO_COLOR": "1", **more}

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"") -> Outcome:
        """Run it in a forked process: everything is real but the time that imports take."""
        streams = {name: self.folder / f".{name}" for name in ("stdin", "stdout", "stderr")}
        for path in streams.values():
            path.write_bytes(b"")
        streams["stdin"].write_bytes(stdin)
        request = {
            "arguments": [os.fsdecode(argument) for argument in arguments],
            "folder": str(self.folder),
            "environment": self.environment(),
            **{name: str(path) for name, path in streams.items()},
        }
        assert self.forking.stdin
        assert self.forking.stdout
        self.forking.stdin.write(json.dumps(request).encode() + b"\n")
        self.forking.stdin.flush()
        code = int(self.forking.stdout.readline())
        return Outcome(code, streams["stdout"].read_text(), streams["stderr"].read_text())

    def program(self, *arguments: str, stdin: bytes = b"", **more: str) -> Outcome:
        """Run the installed program."""
        done = subprocess.run(
            [PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            timeout=120,
            env=self.environment(**more),
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def shell(self, line: str) -> Outcome:
        """Run a line of bash in which $Q is the program; the exit code is the program's."""
        done = subprocess.run(
            ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
            capture_output=True,
            cwd=self.folder,
            timeout=120,
            env=self.environment(Q=PROGRAM),
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def refuses(self, *arguments: str | bytes, stdin: bytes = b"") -> str:
        """Run what must fail: exit 1 and one line that says why; that line comes back."""
        found = self(*arguments, stdin=stdin)
        assert found.code == 1, found
        return the_error(found)

    def facts(self) -> str:
        found = self("corpus", "info", "--format", "json")
        assert found.code == 0, found
        return found.out

    def write(self, name: str, content: str | bytes) -> str:
        """Write a file into the folder; its name comes back."""
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name


def the_error(found: Outcome) -> str:
    """The one line that says what is wrong; beside it there may be lines on skipped records."""
    assert "Traceback" not in found.err
    errors = [line for line in found.messages if not line.startswith("skipped ")]
    assert len(errors) == 1, found.err
    assert errors[0].startswith("querykin: ")
    return errors[0]


@pytest.fixture(scope="session")
def forking() -> Iterator[subprocess.Popen[bytes]]:
    """The process that runs the program for the tests of a session."""
    script = str(Path(__file__).with_name("forking.py"))
    with subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        assert process.stdin
        process.stdin.close()


@pytest.fixture(scope="session")
def stocked(tmp_path_factory: pytest.TempPathFactory, forking: subprocess.Popen[bytes]) -> Path:
    """A workspace of four documents; tests only read it."""
    folder = tmp_path_factory.mktemp("stocked")
    querykin = Querykin(folder, folder / "workspace", forking)
    querykin.write("documents.jsonl", "".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    found = querykin("corpus", "add", "documents.jsonl")
    assert (found.code, found.out) == (0, ""), found
    return folder


@pytest.fixture
def querykin(stocked: Path, tmp_path: Path, forking: subprocess.Popen[bytes]) -> Querykin:
    """The program over the shared workspace, in an empty folder."""
    return Querykin(tmp_path, stocked / "workspace", forking)


@pytest.fixture
def own(stocked: Path, tmp_path: Path, forking: subprocess.Popen[bytes]) -> Querykin:
    """The program over a copy of the workspace that the test may change."""
    shutil.copytree(stocked / "workspace", tmp_path / "workspace")
    return Querykin(tmp_path, tmp_path / "workspace", forking)


@pytest.fixture
def empty(tmp_path: Path, forking: subprocess.Popen[bytes]) -> Querykin:
    """The program over a workspace that does not exist yet."""
    return Querykin(tmp_path, tmp_path / "workspace", forking)
