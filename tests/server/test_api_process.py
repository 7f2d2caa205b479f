"""The service as a process: workers, signals, ports, and a workspace that changes while it runs."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from querykin import Document, Workspace

JUDGEMENT = {"query": "NASA", "candidate": "ESA", "rater": "Ann", "task": "free"}


def _workers(service):
    """Process ids of the workers that have handled requests."""
    return {line["worker"] for line in service.log_lines() if line["event"] == "request"}


def _metric(text, name):
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")
    return float(lines[name])


class Poller(threading.Thread):
    """Sends requests on one connection until stopped; collects failures and distinct responses."""

    def __init__(self, port, path):
        super().__init__()
        self.port, self.path, self.failures, self.responses = port, path, [], {}
        self.stopped = threading.Event()

    def run(self):
        number = 0
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.stopped.is_set():
            number += 1
            try:
                connection.request("GET", f"{self.path}&threshold={number * 1e-9:.9f}")  # never cached
                response = connection.getresponse()
                text = response.read()
            except (OSError, HTTPException) as error:
                self.failures.append(repr(error))
                connection.close()
                continue
            if response.status != 200:
                self.failures.append(text.decode())
            else:
                self.responses.setdefault(text, number)
        connection.close()


def _wait_until(condition, seconds=300):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_all_workers_serve_a_new_build_without_a_failed_request(start_service, workspace_copy):
    service = start_service(workspace_copy, "--workers", "2", settings="rate = 0")
    _wait_until(lambda: service.request("GET", "/healthz")[0] == 200 and len(_workers(service)) == 2)
    pollers = [Poller(service.port, "/v1/suggest?q=comet&k=3&filter=none") for _ in range(3)]
    for poller in pollers:
        poller.start()
    try:
        for state in range(3):
            workspace = Workspace.open(workspace_copy)
            text = f"A comet {state} with a tail circles the sun, and astronauts watch the comet."
            workspace.corpus.add([Document(f"comet-{state}", f"Comet {state}", text)])
            workspace.reopen().repository.add([(f"comet tail {state}", 5)])
            workspace.reopen().build(rebuild=state == 2)
            added = f"comet tail {state}"
            _wait_until(
                lambda added=added: all(
                    any(added.encode() in text for text in poller.responses) for poller in pollers
                )
            )
        workspace = Workspace.open(workspace_copy)
        workspace.build("dice")
        _wait_until(lambda: service.request("GET", "/v1/suggest?q=NASA&measure=dice")[0] == 200)
    finally:
        for poller in pollers:
            poller.stopped.set()
            poller.join()
    assert [poller.failures for poller in pollers] == [[], [], []]
    assert service.stop() == 0


def test_metrics_are_aggregated_over_all_workers(running_service):
    sent = 0
    while len(_workers(running_service)) < 2 or sent < 10:
        assert running_service.request("GET", "/v1/suggest?q=NASA")[0] == 200
        sent += 1
    name = 'querykin_request_seconds_count{measure="hybrid",route="/v1/suggest"}'
    _wait_until(lambda: _metric(running_service.request("GET", "/metrics")[1], name) == sent)
    counts = [_metric(running_service.request("GET", "/metrics")[1], name) for _ in range(6)]
    assert counts == [sent] * 6  # whichever worker responds


def test_a_worker_that_dies_is_replaced(running_service):
    while len(_workers(running_service)) < 2:
        running_service.request("GET", "/healthz")
    before = _workers(running_service)
    os.kill(min(before), signal.SIGKILL)
    _wait_until(
        lambda: running_service.request("GET", "/healthz")[0] == 200 and _workers(running_service) - before
    )


def test_workers_stop_with_their_parent(start_service, built_workspace):
    service = start_service(built_workspace, "--workers", "2", settings="rate = 0")
    service.process.kill()
    service.process.wait()
    _wait_until(lambda: not _is_listening(service.port))
    pattern = f"querykin-workers-{service.process.pid}-*"
    assert list(Path(tempfile.gettempdir()).glob(pattern))
    start_service(built_workspace, "--workers", "2")
    assert not list(Path(tempfile.gettempdir()).glob(pattern))  # removed by the next start


def _is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _send_partially(service, content_length, sent):
    """Connection with an incomplete request: the announced length of the body, and the bytes sent."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=30)
    connection.putrequest("POST", "/v1/similarity")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(content_length))
    connection.endheaders(sent)
    return connection


def test_a_request_in_progress_is_finished_at_shutdown(start_service, built_workspace):
    service = start_service(built_workspace)
    body = json.dumps({"pairs": [{"a": "NASA", "b": "ESA"}]}).encode()
    connection = _send_partially(service, len(body), body[:10])
    time.sleep(0.3)
    service.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    connection.send(body[10:])
    response = connection.getresponse()
    assert (response.status, len(json.loads(response.read()))) == (200, 1)
    connection.close()
    assert service.process.wait(30) == 0


def test_a_killed_process_loses_no_acknowledged_judgement(start_service, workspace_copy):
    service = start_service(workspace_copy, settings="rate = 0")
    acknowledged, stopped = [], threading.Event()

    def judge(rater):
        grade = 0
        while not stopped.is_set():
            grade += 1
            try:
                status, _ = service.request(
                    "POST", "/v1/judgements", {**JUDGEMENT, "grade": grade, "rater": rater}
                )
            except (OSError, HTTPException):
                return
            if status == 201:
                acknowledged.append((rater, float(grade)))

    raters = [threading.Thread(target=judge, args=[name]) for name in ("Ann", "Bob", "Eve")]
    for rater in raters:
        rater.start()
    _wait_until(lambda: len(acknowledged) > 60)
    service.process.kill()
    stopped.set()
    for rater in raters:
        rater.join()
    with sqlite3.connect(workspace_copy / "judgements.db") as connection:
        stored = set(connection.execute("SELECT rater, grade FROM judgements"))
    connection.close()
    assert set(acknowledged) <= stored
    assert len(stored) <= len(acknowledged) + len(raters)  # each rater may have had one in progress


def test_a_port_in_use_is_a_one_line_error(running_service, built_workspace):
    command = [
        running_service.process.args[0],
        "serve",
        "--workspace",
        str(built_workspace),
        "--port",
        str(running_service.port),
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert f"cannot listen on 127.0.0.1:{running_service.port}: Address already in use" in result.stderr


def test_a_large_body_is_rejected_before_it_arrives(running_service):
    connection = _send_partially(running_service, 10_000_000, b"{")
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["status"]) == (413, 413)
    connection.close()
    # The same if the whole body is sent.
    status, _ = running_service.request("POST", "/v1/similarity", "x" * 10_000_000)
    assert status == 413


def test_an_incomplete_body_times_out(running_service):
    connection = _send_partially(running_service, 100, b"{")
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["status"]) == (408, 408)
    connection.close()


def test_a_local_service_rejects_other_host_names(running_service):
    assert running_service.request("GET", "/healthz", Host="evil.example")[0] == 421
    assert running_service.request("GET", "/healthz", Host=f"localhost:{running_service.port}")[0] == 200


def test_a_missing_index_is_built_at_startup(start_service, workspace_copy):
    for built in ("index", "document-vectors"):
        shutil.rmtree(workspace_copy / built)
    service = start_service(workspace_copy)
    assert service.request("GET", "/v1/suggest?q=NASA")[0] == 200
    assert "no index of hybrid yet; building it now" in service.log.read_text()
