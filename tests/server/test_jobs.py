"""Background jobs: states, queue, cancel, interruption, and their pages."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import slow_job  # registers the kind of jobs that these tests start
from querykin import Workspace
from querykin.errors import UnknownName, WorkspaceError
from querykin.integrity import corrupted_files
from querykin.server.jobs import queue
from querykin.server.jobs.job import State
from querykin.server.jobs.queue import Jobs
from querykin.server.not_found import NotFound
from querykin.settings_sections import ServerSettings

assert slow_job
LONG = {"steps": 1000}


@pytest.fixture
def jobs(tmp_path):
    jobs = open_jobs(tmp_path)
    yield jobs
    jobs.close()


def open_jobs(path):
    return Jobs(Workspace.open(path), ServerSettings())


def wait_for(jobs, job, *states, seconds=60):
    deadline = time.monotonic() + seconds
    while (found := jobs.find(job.id)).state not in states:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def test_a_job_runs_to_its_result_and_reports_progress(jobs, tmp_path):
    started = jobs.start("slow", {"steps": 12})
    assert started.title == "Count to 12"
    running = wait_for(jobs, started, State.RUNNING)
    while not (running.step and running.step.done):
        running = jobs.find(started.id)
        assert running.state is State.RUNNING
    assert (running.step.title, running.step.total) == ("counting", 12)
    assert running.step.seconds_left > 0
    assert f"{running.step.done} of 12, less than a minute left." in running.detail
    done = wait_for(jobs, started, State.DONE)
    assert (done.link, done.result["counted"]) == ("/report", 12)
    assert open_jobs(tmp_path).find(started.id) == done  # as a restarted service sees it


def test_a_failed_job_says_why_without_paths_or_texts(jobs, capfd):
    refused = jobs.start("slow", {"steps": 0, "end": "input error"})
    broken = jobs.start("slow", {"steps": 0, "end": "defect"})
    assert wait_for(jobs, refused, State.FAILED).error == "the workspace has no such thing; next: another one"
    assert wait_for(jobs, broken, State.FAILED).error == "internal error; see the service's log"
    log = capfd.readouterr().err
    assert "RuntimeError" in log
    assert "a secret text" not in log


def test_one_job_runs_at_a_time_and_the_others_wait_in_order(jobs, tmp_path):
    other_worker = open_jobs(tmp_path)
    first = jobs.start("slow", LONG)
    wait_for(jobs, first, State.RUNNING)
    second, third = other_worker.start("slow", LONG), jobs.start("slow", {"steps": 1})
    time.sleep(2 * queue.POLL_SECONDS)
    assert [job.state for job in jobs.recent()] == [State.QUEUED, State.QUEUED, State.RUNNING]
    jobs.cancel(second.id)  # by another worker than the one that started it
    wait_for(other_worker, second, State.CANCELLED)
    other_worker.cancel(first.id)
    wait_for(jobs, first, State.CANCELLED)
    wait_for(jobs, third, State.DONE)
    assert jobs.find(first.id).result == {}
    jobs.cancel(third.id)  # too late: it stays done
    assert jobs.find(third.id).state is State.DONE
    other_worker.close()


def test_a_child_that_dies_leaves_an_interrupted_job_that_can_run_again(jobs):
    killed = wait_for(jobs, jobs.start("slow", {"steps": 2, "end": "killed"}), State.INTERRUPTED)
    assert "ended with signal 9" in killed.error
    again = jobs.run_again(killed.id)
    assert (again.kind, again.arguments) == (killed.kind, killed.arguments)
    assert again.id != killed.id


def test_a_service_that_stops_ends_its_jobs(jobs, tmp_path):
    running = jobs.start("slow", LONG)
    wait_for(jobs, running, State.RUNNING)
    waiting = jobs.start("slow", LONG)
    jobs.close()
    seen = open_jobs(tmp_path)
    assert {seen.find(job.id).state for job in (running, waiting)} == {State.INTERRUPTED}
    assert "the service stopped" in seen.find(running.id).error


def test_a_killed_service_takes_its_child_along(jobs, tmp_path):
    service = """
import os, sys, time, slow_job
from querykin import Workspace
from querykin.server.jobs.queue import Jobs
from querykin.settings_sections import ServerSettings
Jobs(Workspace.open(sys.argv[1]), ServerSettings()).start("slow", {"steps": 1000})
time.sleep(600)
"""
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, "-c", service, str(tmp_path)], env={**os.environ, "PYTHONPATH": path}
    )
    while not (found := jobs.recent()) or not found[0].step or not found[0].step.done:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(jobs, found[0], State.INTERRUPTED)
    progress = tmp_path / "jobs" / found[0].id / "progress.json"
    deadline, written = time.monotonic() + 30, -1.0
    while written != (written := progress.stat().st_mtime):  # until the child writes no more
        assert time.monotonic() < deadline
        time.sleep(1)
    assert wait_for(jobs, jobs.start("slow", {"steps": 1}), State.DONE)


def test_old_records_are_removed(jobs, monkeypatch):
    monkeypatch.setattr(queue, "MAX_RECORDS", 3)
    started = [jobs.start("slow", LONG) for _ in range(2)]
    for job in started:
        jobs.cancel(job.id)
        wait_for(jobs, job, State.CANCELLED)
    kept = [jobs.start("slow", LONG) for _ in range(3)]
    assert [job.id for job in jobs.recent()] == [job.id for job in reversed(kept)]
    with pytest.raises(NotFound, match="there is no job"):
        jobs.find(started[0].id)


def test_jobs_are_refused_when_they_cannot_run(jobs, tmp_path, monkeypatch):
    with pytest.raises(UnknownName, match="unknown kind of job 'slo'; did you mean 'slow'"):
        jobs.start("slo", {})
    monkeypatch.setattr(queue, "MAX_QUEUED", 0)
    with pytest.raises(WorkspaceError, match="0 jobs are waiting already"):
        jobs.start("slow", LONG)
    monkeypatch.setattr(queue, "is_writable", lambda path: False)
    with pytest.raises(WorkspaceError, match="is not writable, so no job can run in it; next: grant"):
        jobs.start("slow", LONG)
    assert not (tmp_path / "jobs").exists()


def test_the_pages_of_a_job(make_client):
    with make_client() as client:
        jobs = client.app.state.service.jobs
        assert "There are none yet" in client.get("/jobs").text
        job = jobs.start("slow", LONG)
        wait_for(jobs, job, State.RUNNING)
        page = client.get(f"/jobs/{job.id}")
        assert page.status_code == 200
        assert '<noscript><meta http-equiv="refresh"' in page.text
        progress = client.get(f"/jobs/{job.id}/progress").json()
        assert (progress["state"], progress["link"]) == ("running", "")
        assert client.post(f"/jobs/{job.id}/cancel").headers["location"] == f"/jobs/{job.id}"
        wait_for(jobs, job, State.CANCELLED)
        page = client.get(f"/jobs/{job.id}").text
        assert "Cancelled" in page
        assert "Run again" in page
        again = client.post(f"/jobs/{job.id}/again").headers["location"]
        assert again != f"/jobs/{job.id}"
        jobs.cancel(again.rpartition("/")[2])
        done = jobs.start("slow", {"steps": 1})
        wait_for(jobs, done, State.DONE)
        assert client.get(f"/jobs/{done.id}").headers["location"] == "/report"
        assert f'href="/jobs/{done.id}"' in client.get("/jobs").text


def test_unknown_and_foreign_requests_are_refused(make_client):
    with make_client() as client:
        for path in ("/jobs/x", "/jobs/%2e%2e%2fmodels", "/jobs/lock"):
            assert client.get(path).status_code == 404, path
        assert client.get("/jobs/x").headers["content-type"].startswith("text/html")
        assert client.get("/jobs/x/progress").json()["status"] == 404
        assert client.post("/jobs/x/cancel").status_code == 404
        assert client.post("/jobs/x/again", headers={"Origin": "https://evil.example"}).status_code == 403
    with make_client(tokens=("a-token-of-sixteen-characters",)) as client:
        assert client.post("/jobs/x/cancel").status_code == 401
        assert client.get("/jobs/x/progress").status_code == 401


def test_the_record_of_another_job_is_refused_and_found_by_the_check(jobs, tmp_path):
    first, second = (wait_for(jobs, jobs.start("slow", {"steps": 1}), State.DONE) for _ in range(2))
    shutil.copyfile(tmp_path / "jobs" / first.id / "job.json", tmp_path / "jobs" / second.id / "job.json")
    with pytest.raises(NotFound, match="it belongs to another job"):
        jobs.find(second.id)
    (problem,) = corrupted_files(Workspace.open(tmp_path))
    assert "it belongs to another job" in problem
