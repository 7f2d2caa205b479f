"""A workspace that cannot be written to is searched, compared, evaluated and served as it is.

Commands run in a mount namespace of their own where the workspace is mounted read-only, or, without
namespaces, on a folder without write permission; and on files of another user, which only he may write to.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from querykin import Workspace
from topics import DOCUMENTS, FACTS

PROGRAM = str(Path(sys.executable).with_name("querykin"))
READ_ONLY_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
NOBODY = 65534
QUERIES = [(title, 1 + number) for facts in FACTS.values() for number, (title, _) in enumerate(facts)]


def namespace(folder):
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY_MOUNT, str(folder)]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A workspace with the index of the default measure."""
    workspace = Workspace.open(tmp_path_factory.mktemp("built") / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace = workspace.reopen()
    workspace.repository.add(QUERIES)
    workspace.reopen().build()
    workspace.block_list.add(["jungle"])
    return workspace.path


@pytest.fixture
def prefix(built, tmp_path):
    """What precedes a command so that it cannot write to the workspace."""
    command = namespace(built)
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0:
        assert subprocess.run([*command, "touch", built / "x"], capture_output=True).returncode
        yield command
    elif os.geteuid():
        folders = [built, *(path for path in built.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o500)
        yield []
        for folder in folders:
            folder.chmod(0o700)
    else:
        pytest.skip("neither mount namespaces nor a user without all permissions: nothing is read-only")


@pytest.fixture
def run(prefix, built, tmp_path):
    """Runs a command on the workspace in a new process; returns the finished process."""

    def start(*arguments, **variables):
        env = {**os.environ, "QUERYKIN_WORKSPACE": str(built), **variables}
        command = [*prefix, PROGRAM, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)

    return start


@pytest.fixture(scope="module", params=["a read-only mount", "files of another user"])
def program(request, built, tmp_path_factory):
    """The program, imported once in a process that cannot write to the workspace; and the workspace."""
    if request.param == "a read-only mount":
        workspace, command = built, namespace(built)
    else:
        if os.geteuid():
            pytest.skip("only root can give files to another user")
        workspace = shutil.copytree(built, tmp_path_factory.mktemp("other") / "workspace")
        for path in (workspace, *workspace.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
            os.chown(path, NOBODY, NOBODY)
        command = ["setpriv", "--bounding-set", "-dac_override,-fowner,-chown"]
    if not shutil.which(command[0]) or subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip(f"{command[0]} is not allowed here")
    assert subprocess.run([*command, "touch", workspace / "x"], capture_output=True).returncode
    forking = [*command, sys.executable, str(Path(__file__).parent / "cli" / "forking.py")]
    with subprocess.Popen(forking, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, workspace
        process.stdin.close()


@pytest.fixture
def ask(program, tmp_path):
    """Runs a command on the workspace; returns its exit code, output and messages."""
    process, workspace = program

    def start(*arguments):
        files = {"stdout": tmp_path / "stdout", "stderr": tmp_path / "stderr"}
        for path in files.values():
            path.write_text("")
        environment = {**os.environ, "QUERYKIN_WORKSPACE": str(workspace), "HOME": "/nonexistent"}
        request = {"arguments": arguments, "folder": str(tmp_path), "environment": environment}
        request |= {"stdin": os.devnull, **{name: str(path) for name, path in files.items()}}
        print(json.dumps(request), file=process.stdin, flush=True)
        code = int(process.stdout.readline())
        return code, files["stdout"].read_text(), files["stderr"].read_text()

    return start


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "pairs.tsv").write_text(
        "query\tcandidate\tgrade\nseattle mariners\tBaseball\t1\nseattle mariners\tapple pie\t0\n"
    )
    (tmp_path / "pages.tsv").write_text(
        "query\ttitle\ttext\nseattle mariners\tBaseball\tThe team of Seattle\n"
    )
    (tmp_path / "keywords.txt").write_text("garden hose\nhose garden\nbaseball bat\n")
    (tmp_path / "judged.tsv").write_text(
        "query\tcandidate\tgrade\trater\nnasa\tesa\t1\tann\nnasa\tesa\t1\tbob\nnasa\tpie\t0\tann\nnasa\tpie\t0\tbob\n"
    )


@pytest.mark.parametrize(
    "command",
    [
        "suggest baseball",
        "similarity seattle baseball",
        "similarity seattle baseball --measure web-kernel-static",
        "score pairs.tsv --measures web-kernel,web-relevance,tweak",
        "match pairs.tsv",
        "search baseball",
        "keywords pages.tsv",
        "cluster keywords.txt --measure static --threshold 0.5",
        "dedupe",
        "dedupe keywords.txt",
        "corpus info",
        "corpus list",
        "corpus show baseball-0",
        "corpus export",
        "repository info",
        "repository list",
        "repository export",
        "block list",
        "evaluate pairs.tsv --measures web-kernel,jaccard",
        "agreement judged.tsv",
        "filter pages.tsv --threshold 0.1",
        "check",
        "upgrade",
    ],
)
def test_commands_that_only_read_need_no_permission_to_write(ask, pairs, command):
    code, output, messages = ask(*command.split())
    assert code == 0, messages
    assert output or re.search("is intact|already up to date|queries remain", messages)
    assert "warning" not in messages.replace("warning: the corpus has only", "").lower()


def test_answers_are_those_of_a_writable_workspace(ask, built, tmp_path):
    writable = Workspace.open(shutil.copytree(built, tmp_path / "copy"))
    expected = {each.query: each.score for each in writable.suggest("baseball season").suggestions}
    (found,) = json.loads(ask("suggest", "baseball season", "--format", "json")[1])
    assert {each["query"]: each["score"] for each in found["suggestions"]} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("corpus add pages.tsv", "cannot write to"),
        ("corpus remove baseball-0", "cannot write to"),
        ("repository add keywords.txt", "cannot write to"),
        ("block add pie", "cannot write to"),
        ("build --measures dice", "cannot write to"),
        ("build --measures static", "cannot write to"),
        ("cluster", "next: querykin cluster --measure hybrid, as a user who may write to the workspace"),
        (
            "suggest nasa --measure dice",
            "next: querykin build --measures dice, as a user who may write to the workspace",
        ),
        ("suggest nasa --measure latent", "next: querykin build, as a user who may write to the workspace"),
        ("suggest nasa --measure static", "next: querykin build"),
    ],
)
def test_what_must_write_is_refused_with_one_line(ask, pairs, command, message):
    code, output, messages = ask(*command.split())
    assert (code, output) == (1, "")
    assert message in messages
    assert "Traceback" not in messages


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_a_user_without_any_writable_folder_but_tmp_gets_one_warning(built, pairs, tmp_path):
    capability = "-all,+dac_read_search"  # the interpreter may be in a home directory
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps", capability]
    user += ["--ambient-caps", capability, "--bounding-set", capability]
    if subprocess.run([*user, "true"], capture_output=True).returncode:
        pytest.skip("setpriv is not allowed here")
    env = {**os.environ, "QUERYKIN_WORKSPACE": str(built), "HOME": "/nonexistent"}
    arguments = [*user, PROGRAM, "similarity", "seattle", "seattle mariners", "--measure", "jaccard"]
    done = subprocess.run(arguments, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
    assert (done.returncode, "0.5" in done.stdout) == (0, True), done.stderr
    assert done.stderr.count("Warning: compiled code is cached in") <= 1


def test_without_a_temporary_folder_the_message_names_the_variable(run, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import tempfile; tempfile.tempdir = '/proc/nonexistent'")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    (tmp_path / "tantivy.toml").write_text('[engine]\nkind = "tantivy"\n')  # it takes a lock file
    done = run("suggest", "nasa", "--config", "tantivy.toml", PYTHONPATH=path)
    assert done.returncode == 1
    assert "next: set TMPDIR to a writable folder" in done.stderr


@pytest.fixture
def served(prefix, built, tmp_path):
    """Starts the service; returns a function from a path, and a body, to status and JSON or text."""
    pytest.importorskip("uvicorn")
    started = []

    def start(settings=""):
        (tmp_path / "settings.toml").write_text(settings)
        arguments = ["serve", "--port", "0", "--workspace", str(built), "--config", "settings.toml"]
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen([*prefix, PROGRAM, *arguments], cwd=tmp_path, stderr=log)
        started.append(process)
        url = _wait(process, tmp_path / "log")

        def ask(path, body=None, form=None):
            data = None if body is None else json.dumps(body).encode()
            headers = {"Content-Type": "application/json"}
            if form is not None:
                data, headers = urllib.parse.urlencode(form).encode(), {}
            request = urllib.request.Request(url + path, data, headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return response.status, response.read().decode()
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, error.read().decode()

        return ask

    yield start
    for process in started:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


def _wait(process, log):
    """The address of the service, once it is ready."""
    for _ in range(6000):
        found = re.search(r"http://\S+:\d+", log.read_text())
        if found:
            try:
                with urllib.request.urlopen(found[0] + "/readyz", timeout=600):
                    return found[0]
            except (urllib.error.URLError, ConnectionError):
                pass
        assert process.poll() is None, log.read_text()
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    pytest.fail(f"the service did not start: {log.read_text()}")


JUDGEMENT = {"query": "nasa", "candidate": "esa", "grade": 1, "rater": "Ann", "task": "first"}


def test_the_service_answers_and_refuses_judgements(served):
    ask = served()
    status, body = ask("/v1/suggest?q=baseball%20season")
    assert status == 200
    assert json.loads(body)["suggestions"]
    for page in ("/", "/clusters", "/compare?a=java&b=island", "/judge", "/report"):
        assert ask(page)[0] == 200, page
    status, body = ask("/clusters/lists", form={"pasted": "a keyword", "measure": "static"})
    assert status == 409
    assert "The workspace is not writable, so no list can be kept in it" in body
    status, body = ask("/v1/judgements", JUDGEMENT)
    assert status == 409
    problem = json.loads(body)
    assert problem["type"] == "/docs#workspace"
    assert problem["detail"].startswith("judgements cannot be stored: the workspace is not writable; next: ")


def test_judgements_can_be_stored_elsewhere(served, tmp_path):
    ask = served('[server]\njudgements = "judged.db"\n')
    assert ask("/v1/judgements", JUDGEMENT)[0] == 201
    assert (tmp_path / "judged.db").stat().st_size
