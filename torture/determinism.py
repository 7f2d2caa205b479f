"""The same input gives the same bytes, whatever the number of threads and the seed of Python's hashes.

Documents and queries are added, indexes built and models trained in fresh processes and workspaces. Names of
parts have random ids, so files are compared by store, kind of part, name and checksum.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from torture.figures import Figures

VARIANTS = ((1, 1), (1, 2), (2, 3), (2, 4))  # (threads, seed of the hashes)
MEASURES = "jaccard,web-kernel,distributional,latent,hybrid"
_DOCUMENTS, _QUERIES = 4000, 1500  # at scale 1
_WORDS = 3000
_ROOT = Path(__file__).parent.parent


def run(scale: float, seed: int) -> Figures:
    """Compare runs over a made-up corpus with the first one."""
    figures = Figures()
    with TemporaryDirectory(prefix="querykin-determinism-") as folder:
        inputs = Path(folder)
        steps = write_inputs(
            inputs, max(200, round(_DOCUMENTS * scale)), max(60, round(_QUERIES * scale)), seed
        )
        found = [content_of_run(inputs, steps, *variant) for variant in VARIANTS]
    for (threads, hashes), content in zip(VARIANTS[1:], found[1:], strict=True):
        for file in sorted({*found[0], *content}):
            same = content.get(file) == found[0].get(file)
            detail = f"{found[0].get(file)} and {content.get(file)}"
            figures.record(
                f"{threads} threads, hashes {hashes}: {file}",
                "same" if same else "wrong",
                "" if same else detail,
            )
    return figures


def write_inputs(folder: Path, documents: int, queries: int, seed: int) -> list[str]:
    """Write a corpus, queries and judged pairs; returns the commands that read them."""
    random = Random(seed)
    words = [f"{random.choice('bcdfgklmnprst')}{random.choice('aeiou')}{n:x}" for n in range(_WORDS)]
    weights = [1 / (n + 1) for n in range(_WORDS)]  # Zipf's law

    def text(length: int) -> str:
        return " ".join(random.choices(words, weights, k=length))

    lines = [
        json.dumps({"id": str(n), "title": text(3), "text": f"The {text(60)}."}) for n in range(documents)
    ]
    half = documents // 2
    (folder / "first.jsonl").write_text("\n".join(lines[:half]), "utf-8")
    (folder / "second.jsonl").write_text("\n".join(lines[half - 20 :]), "utf-8")
    (folder / "queries.txt").write_text("\n".join(text(2) for _ in range(queries)), "utf-8")
    judged = [text(2) for _ in range(15)]
    pairs = [f"{query}\t{text(2)}\t{random.randrange(4)}" for query in judged for _ in range(8)]
    (folder / "judged.tsv").write_text("\n".join(["query\tcandidate\tgrade", *pairs]), "utf-8")
    return [
        "corpus add first.jsonl --language en",
        "corpus add second.jsonl",
        "corpus remove 3 5 8",
        "repository add queries.txt",
        f"build --measures {MEASURES}",
        "train combination judged.tsv --measures jaccard,web-kernel --name combined --learner trees",
        "train tweak judged.tsv --name tweaked --features tf-df",
        "cluster --measure jaccard",
    ]


def content_of_run(folder: Path, steps: Sequence[str], threads: int, hashes: int) -> dict[str, list[str]]:
    """The checksums of what the commands write in a new process and workspace: file -> checksums."""
    environment = {**os.environ, "QUERYKIN_THREADS": str(threads), "PYTHONHASHSEED": str(hashes)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    with TemporaryDirectory(dir=folder) as workspace:
        command = [sys.executable, "-m", "torture.determinism", workspace, *steps]
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
        return dict(json.loads(done.stdout.splitlines()[-1]))


def _run_steps(workspace: Path, steps: Sequence[str]) -> None:
    from torture.file_faults.content import models, stored_files
    from torture.file_faults.running import run_step

    for step in steps:
        if code := run_step(step, workspace):
            sys.exit(code)
    content: dict[str, list[str]] = {f"models/{name}": [model] for name, model in models(workspace).items()}
    for (*place, checksum), count in stored_files(workspace).items():
        content.setdefault("/".join(place), []).extend([checksum] * count)
    print(json.dumps({file: sorted(checksums) for file, checksums in content.items()}))


if __name__ == "__main__":
    _run_steps(Path(sys.argv[1]), sys.argv[2:])
