"""Every command and every line of Python in the documentation runs, page by page, in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS_DEMO = {"similarity.md"}


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


@pytest.mark.parametrize(
    "page", [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))], ids=lambda p: p.name
)
def test_the_examples_of_a_page_run(page, tmp_path, request):
    variables = {}
    if page.name in NEEDS_DEMO:
        variables["QUERYKIN_WORKSPACE"] = str(request.getfixturevalue("demo_workspace"))
    text = page.read_text("utf-8")
    blocks = BLOCK.findall(text)
    shell = "set -eu\n" + "\n".join(code for kind, code in blocks if kind == "sh")
    _run(["bash", "-c", shell], tmp_path, **variables)
    python = "\n".join(code for kind, code in blocks if kind == "python")
    if python:
        _run([sys.executable, "-W", "error", "-c", python], tmp_path, **variables)


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, *ROOT.glob("*.md"), *(ROOT / "docs" / "decisions").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_setting_is_documented():
    from dataclasses import fields

    from querykin.measures import measures

    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for name in measures:
        for parameter in fields(measures[name]):
            if parameter.name != "expander":
                assert f"`{parameter.name}`" in page, f"{name}: {parameter.name}"
        assert f"`{name}`" in (ROOT / "docs" / "similarity.md").read_text("utf-8")
