"""A process that has imported the program once and forks for every run: a second saved each time.

Reads one JSON object a line, {arguments, folder, environment, stdin, stdout, stderr} with paths of files for
the last three, runs the program in a child of its own and answers with the child's exit code.
"""

import json
import os
import sys
import traceback

import querykin.cli  # the program, and through testing and experiments all that it imports late
import querykin.experiments.evaluation
import querykin.testing
from querykin.cli.main import program

program()


def _run(request: dict) -> None:
    for number, (name, flags) in enumerate(
        [("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)]
    ):
        os.dup2(os.open(request[name], flags), number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["querykin", *request["arguments"]]
    code = 0
    try:
        querykin.cli.main()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    while line := sys.stdin.buffer.readline():
        child = os.fork()
        if not child:
            _run(json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(1, f"{code}\n".encode())
