"""All shell and Python examples of the documentation run, page by page and in order; links are valid."""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from querykin.measures import measures
from querykin.measures.parameters import parameters_of
from querykin.settings import CandidateSettings, EngineSettings, OpenSearchSettings
from querykin.settings_sections import (
    CooccurrenceSettings,
    ExpansionSettings,
    LogSettings,
    ServerSettings,
    StorageSettings,
    TextSettings,
)

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MEASURES = DOCS / "reference" / "measures"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRETRAINED = {
    f"{name}.md"
    for name in ("static", "dense", "web-kernel-static", "web-kernel-dense", "hybrid", "hybrid-static")
}
NEEDS_DEMO = {"how-to/compare-texts.md"}
NEEDS_CURL = {"how-to/serve.md", "tutorials/from-suggestions-to-a-trained-measure.md"}


@pytest.fixture(scope="session")
def demo_workspace(tmp_path_factory):
    pytest.importorskip("querykin.demo")
    path = tmp_path_factory.mktemp("demo") / "workspace"
    _run(["querykin", "demo", "--workspace", str(path)], path.parent)
    return path


def _run(command, folder, **variables):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, **variables}
    env.pop("QUERYKIN_WORKSPACE", None) if "QUERYKIN_WORKSPACE" not in variables else None
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _name(page):
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize(
    "section",
    [
        EngineSettings,
        CandidateSettings,
        OpenSearchSettings,
        TextSettings,
        ExpansionSettings,
        CooccurrenceSettings,
        LogSettings,
        StorageSettings,
        ServerSettings,
    ],
)
def test_the_reference_lists_every_setting(section):
    page = (DOCS / "reference" / "settings.md").read_text("utf-8")
    for name, field in section.model_fields.items():
        assert re.search(rf"\| `{name}` \| .+ \| {re.escape(field.description)} \|$", page, re.M), name


def test_pages_with_special_requirements_exist():
    assert {*NEEDS_DEMO, *NEEDS_CURL} <= {_name(page) for page in PAGES}


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))], ids=_name)
def test_the_examples_of_a_page_run(page, tmp_path, request):
    variables = {}
    if _name(page) in NEEDS_CURL:
        if not shutil.which("curl"):
            pytest.skip("the examples of this page need curl")
        variables["PORT"] = str(_free_port())
    if _name(page) in NEEDS_DEMO:
        variables["QUERYKIN_WORKSPACE"] = str(request.getfixturevalue("demo_workspace"))
    text = page.read_text("utf-8")
    blocks = BLOCK.findall(text)
    shell = "set -eu\n" + "\n".join(code for kind, code in blocks if kind == "sh")
    _run(["bash", "-c", shell], tmp_path, **variables)
    python = "\n".join(code for kind, code in blocks if kind == "python")
    if python:
        _run([sys.executable, "-W", "error", "-c", python], tmp_path, **variables)


def test_links_between_pages_are_valid():
    for page in [*ROOT.glob("*.md"), *PAGES]:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


@pytest.fixture(scope="module")
def generator():
    """docs/generate.py as a module."""
    specification = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_pages_of_the_measures_are_up_to_date(generator, tmp_path):
    pages = dict(generator.write_pages(generator.example_workspace(tmp_path)))
    for name, text in pages.items():
        kept = (generator.PAGES / name).read_text("utf-8")
        if name in PRETRAINED:  # the last digits depend on the processor
            text, kept = (re.sub(r"-?\d+\.\d+", "#", page) for page in (text, kept))
            text, kept = text.partition("```")[0], kept.partition("```")[0]
        assert kept == text, f"{MEASURES / name} is out of date; run make docs"


def test_every_measure_has_a_page_with_all_its_parameters():
    for name in measures:
        page, kind = (MEASURES / f"{name}.md").read_text("utf-8"), measures[name].kind
        assert all(f"`{parameter.name}`" in page for parameter in parameters_of(kind))
        assert kind.formula, f"{name} has no formula"
        assert kind.advice, f"{name} has no advice"
        assert kind.formula in page
        assert kind.advice in page
