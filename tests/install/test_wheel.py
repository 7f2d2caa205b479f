"""The wheel, installed by pip into an empty environment with what it declares, has all that it needs.

The installation takes most of the time: pip downloads some packages, or takes them from its cache.
"""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from querykin.version import __version__

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = {
    "NASA": "NASA leads space exploration with rockets and probes.",
    "ESA": "The European agency ESA explores space with rockets.",
    "Pie": "An apple pie is baked in the oven with sugar.",
    "Java": "Java is a programming language for machines.",
}


def run(*command, cwd, **options):
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env["PATH"] = f"{cwd / 'venv' / 'bin'}{os.pathsep}{env['PATH']}"
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=600, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with an environment that has the wheel and its dependencies, and a small workspace."""
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        ["make", "wheel", f"PYTHON={sys.executable}", f"DIST={folder}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    run(sys.executable, "-m", "venv", "venv", cwd=folder, check=True)
    installed = run("pip", "install", "--quiet", str(*folder.glob("*.whl")), cwd=folder)
    if "No matching distribution found for" in installed.stderr:
        pytest.skip(f"pip has no access to the dependencies: {installed.stderr.strip().splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr
    lines = [
        json.dumps({"id": title, "title": title, "text": text}) + "\n" for title, text in DOCUMENTS.items()
    ]
    (folder / "documents.jsonl").write_text("".join(lines))
    return folder


def test_the_wheel_has_the_files_that_are_no_modules(folder):
    listed = run("python", "-m", "zipfile", "--list", str(*folder.glob("*.whl")), cwd=folder).stdout
    sources = ROOT / "src" / "querykin"
    data = [path for path in sources.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    wanted = {path.relative_to(sources.parent).as_posix() for path in data if "__pycache__" not in path.parts}
    assert len(wanted) > 10
    assert wanted <= set(re.findall(r"^querykin/\S+", listed, re.M))


def test_documents_become_suggestions(folder):
    assert run("querykin", "--version", cwd=folder).stdout == f"querykin {__version__}\n"
    for command in ("corpus add documents.jsonl", "repository mine", "build"):
        done = run("querykin", *command.split(), cwd=folder)
        assert done.returncode == 0, done.stderr
    (found,) = json.loads(run("querykin", "suggest", "nasa", "--format", "json", cwd=folder).stdout)
    assert "esa" in [each["query"].lower() for each in found["suggestions"]]
    shipped = run("querykin", "keywords", "documents.jsonl", cwd=folder)
    assert (shipped.returncode, bool(shipped.stdout)) == (0, True)


def test_word_vectors_come_with_the_base_and_the_encoder_with_an_extra(folder):
    compared = ("similarity", "car", "automobile", "--format", "json", "--measure")
    done = run("querykin", *compared, "static", cwd=folder)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["scores"].values()
    assert 0.5 < found < 1
    done = run("querykin", *compared, "dense", cwd=folder)
    assert done.returncode == 1
    assert re.fullmatch(r"querykin: .*: pip install '\S+\.whl\[dense\]'\n", done.stderr)


def test_the_message_on_a_missing_extra_is_a_command_that_installs_it(folder):
    done = run("querykin", "serve", cwd=folder)
    assert done.returncode == 1
    command = done.stderr.removeprefix("querykin: the service needs an optional part: ").strip()
    assert re.fullmatch(r"pip install '\S+\.whl\[server\]'", command)
    installed = run("sh", "-c", f"{command} --quiet", cwd=folder)
    assert installed.returncode == 0, installed.stderr
    assert _served_page(folder).startswith("<!doctype html>")


def _served_page(folder):
    """The first page of the service."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    log = folder / "log"
    with log.open("w") as file:
        command = [folder / "venv" / "bin" / "querykin", "serve", "--port", "0"]
        process = subprocess.Popen(command, cwd=folder, env=env, stderr=file)
    try:
        for _ in range(6000):
            assert process.poll() is None, log.read_text()
            if found := re.search(r"http://\S+/", log.read_text()):
                try:
                    with urllib.request.urlopen(found[0], timeout=600) as response:
                        return response.read().decode().lower()
                except (urllib.error.URLError, ConnectionError):
                    pass
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        return pytest.fail(f"the service did not start: {log.read_text()}")
    finally:
        process.terminate()
        process.wait(120)
