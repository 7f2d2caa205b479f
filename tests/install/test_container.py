"""The steps of the Dockerfile and of compose.yaml, run in a folder: no container daemon is needed."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from itertools import takewhile
from pathlib import Path

import pytest
import yaml

from install.dockerfiles import Builder, parse

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = {"id": "1", "title": "NASA", "text": "NASA leads space exploration with rockets."}


@pytest.fixture(scope="module")
def instructions():
    return list(parse((ROOT / "Dockerfile").read_text("utf-8")))


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def image(instructions, tmp_path_factory):
    """The image, built in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    builder = Builder(ROOT, tmp_path_factory.mktemp("image"), port)
    try:
        builder.build(instructions)
    except AssertionError as error:
        if "No matching distribution found for" in str(error):
            pytest.skip("pip has no access to the dependencies")
        raise
    return builder


def test_comments_continued_lines_and_options_are_parsed():
    text = '# a\nRUN a && \\\n    # b\n    b\nHEALTHCHECK --interval=3s CMD ["x", "--y=1"]\n'
    text += "COPY --from=q /a /b\n"
    run, check, copy = parse(text)
    assert run.value.split() == ["a", "&&", "b"]
    assert (check.options, check.value) == ({"interval": "3s"}, 'CMD ["x", "--y=1"]')
    assert (copy.options, copy.words) == ({"from": "q"}, ["/a", "/b"])


def test_the_last_stage_has_no_build_tools_and_another_user(instructions):
    stages = [n for n, each in enumerate(instructions) if each.name == "FROM"]
    last = instructions[stages[-1] :]
    runs = " ".join(each.value for each in last if each.name == "RUN")
    assert len(stages) == 2
    assert not any(tool in runs for tool in ("pip", "apt", "gcc", "make"))
    users = [each.value for each in last if each.name == "USER"]
    assert users == ["10001:10001"]
    # Nothing after the change of the user needs another one.
    assert [each.name for each in last][-6:-2] == ["RUN", "VOLUME", "EXPOSE", "HEALTHCHECK"]


def test_what_is_copied_is_sent_to_the_builder(instructions):
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")}
    copied = [each for each in instructions if each.name == "COPY" and "from" not in each.options]
    assert {source.split("/")[0] for each in copied for source in each.words[:-1]} == allowed


def test_compose_uses_the_folders_of_the_image(instructions, compose):
    variables = " ".join(each.value for each in instructions if each.name == "ENV")
    for service in compose["services"].values():
        mounted = [volume.split(":")[-1 - volume.endswith(":ro")] for volume in service["volumes"]]
        assert {"/data", "/var/cache/querykin"} <= set(mounted)
        assert service["read_only"]
    assert "QUERYKIN_WORKSPACE=/data/" in variables
    assert "NUMBA_CACHE_DIR=/var/cache/querykin" in variables
    assert compose["services"]["serve"]["depends_on"]["add"]["condition"] == "service_completed_successfully"


def test_the_image_builds_adds_documents_and_serves_them(image, compose):
    assert sorted(image.not_run) == ["EXPOSE", "FROM", "USER", "VOLUME", "chown"]
    assert list((image.prefix / "var/cache/querykin").rglob("*.nbc"))
    assert not (image.prefix / "opt/querykin/bin/pip").exists()
    (image.prefix / "documents").mkdir()
    (image.prefix / "documents" / "a.jsonl").write_text(json.dumps(DOCUMENT) + "\n")
    added = image.shell(image.inside(compose["services"]["add"]["command"][0]))
    assert added.returncode == 0, added.stderr
    assert "compiling" not in added.stderr  # the image is warm
    program = image.start["ENTRYPOINT"] + image.start["CMD"]
    with (image.prefix / "log").open("w") as log:
        process = subprocess.Popen(program, env=image.variables, stderr=log, cwd=image.prefix)
    try:
        _wait_until_healthy(image, process)
        with urllib.request.urlopen(
            f"http://127.0.0.1:{image.port}/v1/suggest?q=space", timeout=600
        ) as answer:
            assert json.load(answer)["covered"]
        assert "compiling" not in (image.prefix / "log").read_text()
    finally:
        process.terminate()
        process.wait(120)


def test_the_cluster_has_commands_that_exist():
    """Every option of the compose file is in the help of its command."""
    cluster = yaml.safe_load((ROOT / "deploy" / "cluster" / "compose.yaml").read_text("utf-8"))
    services = cluster["services"]
    lines = services["batch"]["command"][0].splitlines()
    served = [each["command"] for each in services.values() if each.get("command", [""])[0] == "serve"]
    commands = [line.split()[1:] for line in lines] + served
    assert len(commands) == 7
    for command in commands:
        words = list(takewhile(lambda word: not word.startswith(("-", "/")), command))
        program = [sys.executable, "-c", "from querykin.cli import main; main()"]
        shown = subprocess.run([*program, *words, "--help"], capture_output=True, text=True).stdout
        assert all(word in shown for word in command if word.startswith("--")), command
    for service in services.values():
        assert service["image"] in ("querykin-cluster", "opensearchproject/opensearch:2.19.6")


def _wait_until_healthy(image, process):
    check = image.start["HEALTHCHECK"]
    deadline = time.monotonic() + 600
    while subprocess.run(check, env=image.variables, capture_output=True).returncode:
        assert process.poll() is None, (image.prefix / "log").read_text()
        assert time.monotonic() < deadline, (image.prefix / "log").read_text()
        time.sleep(0.2)
