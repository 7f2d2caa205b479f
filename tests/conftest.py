"""Fixtures: a shared workspace of 61 documents, and a function that builds others."""

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from querykin import Document, Workspace
from querykin.compute.compilation import compile_kernels
from querykin.compute.kernel_table import kernels
from querykin.progress import SILENT
from querykin.settings import Settings
from querykin.settings_sections import TextSettings
from search_log import LOG
from topics import DOCUMENTS

Build = Callable[..., Workspace]
ENGLISH = Settings(text=TextSettings(language="en"))  # texts of any characters are not recognized as English

settings.register_profile("querykin", deadline=None)  # no test asserts a time
settings.load_profile("querykin")


def pytest_configure(config: pytest.Config) -> None:
    """Compile all kernels once, before the workers start: a command that has to compile says so on stderr."""
    if not hasattr(config, "workerinput"):
        compile_kernels(kernels(), SILENT)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Make a workspace; every argument is one batch of documents, and so one segment."""

    def make(*batches: Iterable[Document]) -> Workspace:
        workspace = Workspace.open(tmp_path_factory.mktemp("workspace"), ENGLISH)
        for batch in batches:
            workspace.corpus.add(batch)
        return workspace.reopen()

    return make


@pytest.fixture(scope="session")
def workspace(build: Build) -> Workspace:
    """61 documents of five topics in one segment, and a search log over them; read-only."""
    workspace = build(DOCUMENTS)
    workspace.log.add(LOG)
    return workspace.reopen()


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a script of reproduce/, which is not an installed package."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent))
    return lambda name: importlib.import_module(f"reproduce.{name}")
