"""A `querykin serve` process over a small workspace, for the parts that send requests."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin import Workspace

SETTINGS = "[server]\nrate = 0\ntimeout = 60\ncache = 1000\nconcurrency = 64\nthreads = 2\n"
TOPICS = {
    "space": "rocket moon orbit telescope astronaut comet satellite launch mission planet crater probe",
    "kitchen": "apple pie cinnamon oven butter flour sugar strudel pancake honey recipe dough",
    "garden": "rose tulip lawn mower hose seed soil compost fence hedge shovel bloom",
    "music": "guitar piano chord melody drum concert violin opera rhythm choir album song",
}
WORDS = [word for text in TOPICS.values() for word in text.split()]


@dataclass(frozen=True)
class Service:
    """A running process, its port and the file of its log."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def memory(self) -> int:
        """Bytes of anonymous memory in use: files that are mapped are not part of it."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]

    def errors(self) -> Iterator[str]:
        """Lines since it serves that tell of an error, or are no JSON at all, as tracebacks are."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        starting = next(n for n, line in enumerate(lines) if line.startswith("serving "))
        for line in lines[starting + 1 :]:
            if not line.startswith("{"):
                if line.strip():
                    yield line
            elif json.loads(line)["level"] in ("error", "critical"):
                yield line


@contextmanager
def running_service() -> Iterator[Service]:
    """Build a workspace, serve it on a free port, and stop the process at the end."""
    with TemporaryDirectory(prefix="querykin-torture-") as folder:
        path, config, log = (Path(folder) / name for name in ("workspace", "settings.toml", "log"))
        _build(path)
        config.write_text(SETTINGS)
        program = str(Path(sys.executable).with_name("querykin"))
        command = [program, "serve", "--workspace", str(path), "--port", "0", "--config", str(config)]
        with log.open("wb") as messages:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        try:
            yield Service(process, _port(process, log), log)
        finally:
            process.terminate()
            process.wait(60)


def _build(path: Path) -> None:
    workspace = Workspace.open(path)
    texts = [
        f"{words[number]} and {words[number - 1]} with {words[number - 2]}, {words[number - 4]}: {topic}"
        for topic, words in ((topic, text.split()) for topic, text in TOPICS.items())
        for number in range(len(words))
    ]
    workspace.corpus.add(texts)
    workspace = workspace.reopen()
    pairs = [(f"{WORDS[n]} {WORDS[n - 1]}", 1 + n % 5) for n in range(len(WORDS))]
    workspace.repository.add([*pairs, *((word, 3) for word in WORDS)])
    workspace.reopen().build()


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    while process.poll() is None:
        if match := re.search(r"http://[^/]*:(\d+)/", log.read_text("utf-8")):
            return int(match[1])
        time.sleep(0.1)
    raise RuntimeError(log.read_text("utf-8"))
