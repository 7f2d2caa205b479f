"""The service as people run it: processes, signals, ports, and a workspace that changes underneath."""

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

JUDGED = {"query": "NASA", "candidate": "ESA", "rater": "Ann", "task": "free"}


def _workers(served):
    """The processes that have answered, by their log."""
    return {line["worker"] for line in served.lines() if line["event"] == "request"}


def _counted(text, name):
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")
    return float(lines[name])


class Asking(threading.Thread):
    """Asks without a pause, on one connection, until told to stop; keeps what went wrong and what changed."""

    def __init__(self, port, path):
        super().__init__()
        self.port, self.path, self.failed, self.answers, self.ends = port, path, [], {}, threading.Event()

    def run(self):
        number = 0
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.ends.is_set():
            number += 1
            try:
                connection.request("GET", f"{self.path}&threshold={number * 1e-9:.9f}")  # never from memory
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, HTTPException) as error:
                self.failed.append(repr(error))
                connection.close()
                continue
            if answer.status != 200:
                self.failed.append(text.decode())
            else:
                self.answers.setdefault(text, number)
        connection.close()


def _until(true, seconds=300):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_what_is_built_is_served_by_all_workers_without_a_failed_request(serve, own):
    served = serve(own, "--workers", "2", settings="rate = 0")
    _until(lambda: served.ask("GET", "/healthz")[0] == 200 and len(_workers(served)) == 2)
    asking = [Asking(served.port, "/v1/suggest?q=comet&k=3") for _ in range(3)]
    for each in asking:
        each.start()
    try:
        for state in range(3):
            workspace = Workspace.open(own)
            text = f"A comet {state} with a tail circles the sun, and astronauts watch the comet."
            workspace.corpus.add([Document(f"comet-{state}", f"Comet {state}", text)])
            workspace.reopen().repository.add([(f"comet tail {state}", 5)])
            workspace.reopen().build(rebuild=state == 2)
            known = f"comet tail {state}"
            _until(
                lambda known=known: all(
                    any(known.encode() in text for text in each.answers) for each in asking
                )
            )
        workspace = Workspace.open(own)
        workspace.build("dice")
        _until(lambda: served.ask("GET", "/v1/suggest?q=NASA&measure=dice")[0] == 200)
    finally:
        for each in asking:
            each.ends.set()
            each.join()
    assert [each.failed for each in asking] == [[], [], []]
    assert served.stop() == 0


def test_metrics_are_those_of_all_workers(served):
    sent = 0
    while len(_workers(served)) < 2 or sent < 10:
        assert served.ask("GET", "/v1/suggest?q=NASA")[0] == 200
        sent += 1
    name = 'querykin_request_seconds_count{measure="web-kernel",route="/v1/suggest"}'
    _until(lambda: _counted(served.ask("GET", "/metrics")[1], name) == sent)
    as_problem = [_counted(served.ask("GET", "/metrics")[1], name) for _ in range(6)]
    assert as_problem == [sent] * 6  # whoever answers


def test_a_worker_that_dies_is_replaced(served):
    while len(_workers(served)) < 2:
        served.ask("GET", "/healthz")
    before = _workers(served)
    os.kill(min(before), signal.SIGKILL)
    _until(lambda: served.ask("GET", "/healthz")[0] == 200 and _workers(served) - before)


def test_workers_end_with_their_parent(serve, stocked):
    served = serve(stocked, "--workers", "2", settings="rate = 0")
    served.process.kill()
    served.process.wait()
    _until(lambda: not _listening(served.port))
    pattern = f"querykin-workers-{served.process.pid}-*"
    assert list(Path(tempfile.gettempdir()).glob(pattern))
    serve(stocked, "--workers", "2")
    assert not list(Path(tempfile.gettempdir()).glob(pattern))  # the next one cleans up


def _listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _begin(served, announced, sent):
    """A connection whose request has come in part: so many bytes of body announced, these sent."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.putrequest("POST", "/v1/similarity")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(announced))
    connection.endheaders(sent)
    return connection


def test_a_request_in_flight_is_finished_before_the_end(serve, stocked):
    served = serve(stocked)
    body = json.dumps({"pairs": [{"a": "NASA", "b": "ESA"}]}).encode()
    connection = _begin(served, len(body), body[:10])
    time.sleep(0.3)
    served.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    connection.send(body[10:])
    answer = connection.getresponse()
    assert (answer.status, len(json.loads(answer.read()))) == (200, 1)
    connection.close()
    assert served.process.wait(30) == 0


def test_no_judgement_that_was_acknowledged_is_lost_when_the_process_is_killed(serve, own):
    served = serve(own, settings="rate = 0")
    kept, ends = [], threading.Event()

    def judge(rater):
        grade = 0
        while not ends.is_set():
            grade += 1
            try:
                status, _ = served.ask("POST", "/v1/judgements", {**JUDGED, "grade": grade, "rater": rater})
            except (OSError, HTTPException):
                return
            if status == 201:
                kept.append((rater, float(grade)))

    raters = [threading.Thread(target=judge, args=[name]) for name in ("Ann", "Bob", "Eve")]
    for rater in raters:
        rater.start()
    _until(lambda: len(kept) > 60)
    served.process.kill()
    ends.set()
    for rater in raters:
        rater.join()
    with sqlite3.connect(own / "judgements.db") as rows:
        found = set(rows.execute("SELECT rater, grade FROM judgements"))
    rows.close()
    assert set(kept) <= found
    assert len(found) <= len(kept) + len(raters)  # one of each may have been on its way


def test_a_port_that_is_taken_is_one_line(served, stocked):
    command = [served.process.args[0], "serve", "--workspace", str(stocked), "--port", str(served.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert f"cannot listen on 127.0.0.1:{served.port}: Address already in use" in done.stderr


def test_a_body_is_refused_before_it_has_come(served):
    connection = _begin(served, 10_000_000, b"{")
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["status"]) == (413, 413)
    connection.close()
    assert (
        served.ask("POST", "/v1/similarity", "x" * 10_000_000)[0] == 413
    )  # who sends all of it is told as well


def test_a_body_that_never_comes_is_not_waited_for(served):
    connection = _begin(served, 100, b"{")
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["status"]) == (408, 408)
    connection.close()


def test_a_service_on_this_machine_answers_to_no_other_name(served):
    assert served.ask("GET", "/healthz", Host="evil.example")[0] == 421
    assert served.ask("GET", "/healthz", Host=f"localhost:{served.port}")[0] == 200


def test_an_index_that_is_missing_is_built_at_the_start(serve, own):
    shutil.rmtree(own / "index")
    served = serve(own)
    assert served.ask("GET", "/v1/suggest?q=NASA")[0] == 200
    assert "no index of web-kernel yet; building it now" in served.log.read_text()
