"""A workspace in object storage beside one in a folder: `python -m bench.object_storage DOCUMENTS QUERIES`.

The same commands run in fresh processes on a folder and on an S3 server of this process (moto, on loopback: no network
latency, and the processor time of the server is included in the seconds). Another machine is another cache folder.
"""

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from reproduce.markdown import table

HEADER = ("command", "s in a folder", "s at s3://", "requests", "MB up", "MB down")
PROGRAM = (sys.executable, "-c", "from querykin.cli import main; main()")
SUGGEST = ("suggest", "history of space exploration", "--measure", "web-kernel")


def main() -> None:
    """Print the table."""
    documents, queries = sys.argv[1:3]
    with TemporaryDirectory(prefix="bench-objects-") as name:
        folder = Path(name)
        one = folder / "one.txt"
        one.write_text("a query that was never asked\n")
        steps = (
            ("corpus add", "writer", ("corpus", "add", documents)),
            ("repository add", "writer", ("repository", "add", queries)),
            ("build", "writer", ("build", "--measures", "web-kernel")),
            ("suggest, first on a machine", "reader", SUGGEST),
            ("suggest, again", "reader", SUGGEST),
            ("repository add, one query", "writer", ("repository", "add", str(one))),
            ("build, one query", "writer", ("build", "--measures", "web-kernel")),
            ("suggest after that", "reader", SUGGEST),
        )
        with importlib.import_module("tests.object_server").running() as server:
            os.environ.update(server.environment())
            address = f"s3://{server.create_bucket()}/shop"
            rows = []
            for title, machine, command in steps:
                local = _seconds(command, str(folder / "workspace"), {})
                server.requests.clear()
                remote = _seconds(command, address, {"XDG_CACHE_HOME": str(folder / machine)})
                up, down = (
                    sum(getattr(each, field) for each in server.requests) for field in ("received", "sent")
                )
                rows.append(
                    [
                        title,
                        f"{local:.1f}",
                        f"{remote:.1f}",
                        f"{len(server.requests)}",
                        f"{up / 1e6:.1f}",
                        f"{down / 1e6:.1f}",
                    ]
                )
                print(rows[-1], flush=True)
    print(table(list(HEADER), rows))


def _seconds(command: tuple[str, ...], workspace: str, variables: Mapping[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(
        [*PROGRAM, *command, "--workspace", workspace, "--quiet"],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
