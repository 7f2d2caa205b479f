"""The cost of starting the program: `python -m bench.start`.

Every command runs in a fresh process; processor time (user and system, of the process and its children) is taken from
`os.wait4`. The workspace is small. The bytecode of modules is on disk, as after an installation. Compiled code is read from
disk, except by the commands that are *cold*: they have an empty cache. Commands take turns, and each counts by the median
of its runs; the spread is the distance between their quartiles.

`suggest` has the measure that answers where no optional part is installed; with the sentence encoder of the extra `dense`
the default measure has a row of its own.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np

from bench import small_corpus
from bench.result import Result
from bench.timing import Latency, figures
from querykin.embeddings.encoder_support import encoder_problem
from querykin.text.languages import ENGLISH

RUNS = 7
COLD_RUNS = 2
ENCODED = "querykin suggest, with the encoder"
BASE_MEASURE = "hybrid-static"  # takes the place of the default where there is no encoder
HEAVY = ("numpy", "scipy", "numba", "sklearn", "tantivy", "rich", "pydantic", "fastapi")
PYTHON = "python -c pass"
QUERY = "stone bridge"
_COLD = ("querykin suggest", "querykin similarity")
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
_COMPLETIONS = ("complete_bash", "bash_complete")  # as Typer and as Click name it
# Runs a console script as the shell would, then writes which modules it left imported.
_IMPORTED = """
import atexit, json, runpy, sys
out, sys.argv = sys.argv[1], sys.argv[2:]
def write():
    with open(out, "w") as file:
        json.dump(sorted(sys.modules), file)
atexit.register(write)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@dataclass(frozen=True)
class Command:
    """A command line and what it needs in its environment."""

    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def run() -> Result:
    """Processor time and imported packages of each command."""
    with TemporaryDirectory(prefix="bench-start-") as folder:
        _build(Path(folder))
        commands = _commands(Path(folder))
        found = _timed(commands, Path(folder))
        cold = _cold(Path(folder))
        messages = _first_messages(Path(folder))
        imported = {
            name: _imported(command, Path(folder)) for name, command in commands.items() if name != PYTHON
        }
    base = found[PYTHON].p50
    rows = [
        [name, *it.cells, f"{it.p50 - base:.0f}", *_cells(imported.get(name)), ""]
        for name, it in found.items()
    ]
    rows += [
        [name, *it.cells, f"{it.p50 - base:.0f}", "", "", f"{messages[name]:.2f}"]
        for name, it in cold.items()
    ]
    counts = {f"{name} modules": float(len(modules)) for name, modules in imported.items()}
    recorded = figures(found | cold) | counts | {f"{name} message s": it for name, it in messages.items()}
    text = (
        f"Processor time of fresh processes in milliseconds, the median of {RUNS} runs, ± half the distance between the "
        f"quartiles; *above*: without what `{PYTHON}` takes. {len(small_corpus.TEXTS)} documents and as many queries; "
        f"compiled code is on disk, except for the commands that are cold ({COLD_RUNS} runs each, with an empty cache). "
        "*Packages*: those imported of "
        + ", ".join(HEAVY)
        + ". *Message*: seconds on the clock until a command that is cold "
        "says what it is doing."
    )
    header = ["command", "p50", "p99", "above", "modules", "packages", "message"]
    ratios = {
        "version_cpu_s": (found["querykin --version"].p50 - base) / 1000,
        "warm_suggest_cpu_s": (found["querykin suggest"].p50 - base) / 1000,
        "cold_suggest_cpu_s": (cold["querykin suggest, cold"].p50 - base) / 1000,
    }
    return Result("start", "Start of the program", text, header, rows, recorded, ratios)


def _program() -> str:
    """The console script of this interpreter's environment."""
    script = Path(sys.executable).parent / "querykin"
    if not script.is_file():
        sys.exit(f"{script} not found: install querykin into the environment that runs the benchmark")
    return str(script)


def _commands(folder: Path) -> dict[str, Command]:
    program, place = _program(), ("--workspace", str(folder / "workspace"))
    similarity = ("similarity", *small_corpus.SUBJECTS[:2], "--measure", "jaccard")
    commands = {
        PYTHON: Command([sys.executable, "-c", "pass"]),
        "querykin --version": Command([program, "--version"]),
        "querykin --help": Command([program, "--help"]),
        "querykin suggest --help": Command([program, "suggest", "--help"]),
        "querykin suggest": Command([program, "suggest", QUERY, "--measure", BASE_MEASURE, *place]),
        **(
            {ENCODED: Command([program, "suggest", QUERY, *place])}
            if encoder_problem((ENGLISH,)) is None
            else {}
        ),
        "querykin similarity": Command([program, *similarity[:3], *place]),
        "querykin similarity --measure jaccard": Command([program, *similarity, *place]),
    }
    completion = _completion(program)
    return commands | ({"shell completion": completion} if completion else {})


def _completion(program: str) -> Command | None:
    """What bash calls on the tab key; None where the program does not complete."""
    for instruction in _COMPLETIONS:
        line = "querykin sug"
        environment = {
            "_QUERYKIN_COMPLETE": instruction,
            "_TYPER_COMPLETE_ARGS": line,
            "COMP_WORDS": line,
            "COMP_CWORD": "1",
        }
        done = subprocess.run([program], env=_environment(environment), capture_output=True, text=True)
        if done.returncode == 0 and "suggest" in done.stdout and "Usage" not in done.stdout:
            return Command([program], environment)
    print("  shell completion: not offered, skipped", flush=True)
    return None


def _build(folder: Path) -> None:
    """A workspace made through the command line; the last command has compiled code written to disk."""
    small_corpus.write(folder)
    steps = [
        ["corpus", "add", "documents.jsonl"],
        ["repository", "add", "queries.txt"],
        ["build", "--measures", f"hybrid,{BASE_MEASURE}"],
        ["suggest", QUERY],
    ]
    for step in steps:
        command = [_program(), *step, "--workspace", "workspace", "--quiet"]
        subprocess.run(command, cwd=folder, env=_environment(), check=True, stdout=subprocess.DEVNULL)


def _environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != _NO_BYTECODE} | dict(more or {})


def _timed(commands: Mapping[str, Command], folder: Path) -> dict[str, Latency]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        _milliseconds(command, folder)
    for _ in range(RUNS):
        for name, command in commands.items():
            times[name].append(_milliseconds(command, folder))
    return {name: _latency(np.array(found)) for name, found in times.items()}


def _cold(folder: Path) -> dict[str, Latency]:
    """Commands with an empty cache of compiled code, each with a copy of the workspace."""
    times: dict[str, list[float]] = {name: [] for name in _cold_commands(folder)}
    for _ in range(COLD_RUNS):
        for name, command in _cold_commands(folder).items():
            with _empty_cache(command, folder) as (cold, place):
                times[name].append((_until_ready if "serve" in name else _milliseconds)(cold, place))
    return {name: _latency(np.array(taken)) for name, taken in times.items()}


def _cold_commands(folder: Path) -> dict[str, Command]:
    commands = {name: command for name, command in _commands(folder).items() if name in _COLD}
    commands["querykin build"] = Command([_program(), "build", "--rebuild", "--workspace", "copy"])
    commands["querykin serve"] = Command([_program(), "serve", "--port", "0", "--workspace", "copy"])
    return {f"{name}, cold": command for name, command in commands.items()}


@contextmanager
def _empty_cache(command: Command, folder: Path) -> Iterator[tuple[Command, Path]]:
    """The command with an empty cache of compiled code, and a folder with a copy of the workspace."""
    with TemporaryDirectory(prefix="bench-cold-") as place:
        copytree(folder / "workspace", Path(place, "copy"))
        yield Command(command.words, {"NUMBA_CACHE_DIR": str(Path(place, "code"))}), Path(place)


def _first_messages(folder: Path) -> dict[str, float]:
    """Seconds until each command that is cold has written its first line; it is stopped then."""
    found = {}
    for name, command in _cold_commands(folder).items():
        with _empty_cache(command, folder) as (cold, place):
            start = time.perf_counter()
            process = subprocess.Popen(
                cold.words,
                cwd=place,
                env=_environment(cold.environment),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            assert process.stderr
            line = process.stderr.readline()
            found[name] = time.perf_counter() - start
            os.killpg(process.pid, signal.SIGKILL)
            process.stderr.close()
            process.wait()
            if not line:
                raise RuntimeError(f"{name} wrote no message")
    return found


def _until_ready(command: Command, folder: Path) -> float:
    """Processor time of a service from its start until it has answered that it is ready, and has ended."""
    environment = _environment(command.environment)
    process = subprocess.Popen(command.words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    stderr = process.stderr
    assert stderr
    address = _address(stderr)
    while not _is_ready(address):
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    stderr.close()
    return 1000 * (usage.ru_utime + usage.ru_stime)


def _address(stderr: IO[str]) -> str:
    for line in stderr:
        if " on http://" in line:
            return line.split(" on ")[1].strip()
    raise RuntimeError("the service ended before it listened")


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}readyz", timeout=600) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def _milliseconds(command: Command, folder: Path) -> float:
    environment = _environment(command.environment)
    process = subprocess.Popen(
        command.words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command.words)
    return 1000 * (usage.ru_utime + usage.ru_stime)


def _latency(times: np.ndarray) -> Latency:
    low, middle, high, last = np.quantile(times, [0.25, 0.5, 0.75, 0.99])
    return Latency(float(middle), float(last), float(high - low), len(times))


def _imported(command: Command, folder: Path) -> list[str]:
    """The modules that are imported when the command ends."""
    out = folder / "imported.json"
    words = [sys.executable, "-c", _IMPORTED, str(out), *command.words]
    environment = _environment(command.environment)
    subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    modules: list[str] = json.loads(out.read_text("utf-8"))
    return modules


def _cells(modules: list[str] | None) -> list[str]:
    if modules is None:
        return ["", ""]
    return [str(len(modules)), ", ".join(name for name in HEAVY if name in modules) or "none"]


if __name__ == "__main__":
    print(run().markdown())
