"""A job for tests: counts slowly, or fails in the way that it is asked for."""

import os
import signal
import time

from querykin.errors import InputError
from querykin.server.jobs.kinds import job_kind


@job_kind("slow", lambda arguments: f"Count to {arguments['steps']}", lambda arguments: "/judge")
def count(workspace, arguments, progress):
    with progress.task("counting", arguments["steps"]) as advance:
        for _ in range(arguments["steps"]):
            time.sleep(arguments.get("seconds", 0.05))
            advance(1)
    if arguments.get("end") == "input error":
        raise InputError(f"{workspace.path} has no such thing; next: another one")
    if arguments.get("end") == "defect":
        raise RuntimeError("a secret text")
    if arguments.get("end") == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"link": "/report", "counted": arguments["steps"]}
