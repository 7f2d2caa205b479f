"""The judgements of a task as a file, which evaluation and training read as they do on the command line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin.server.judgement_records import JudgementTask
from querykin.server.judgement_store import JudgementStore
from querykin.server.summary import export_judgements
from querykin.workspace import Workspace

MAX_FILE_NAME = 60  # characters of the task's name


@contextmanager
def judgement_file(workspace: Workspace, name: str) -> Iterator[tuple[JudgementTask, str]]:
    """A task and the path of a temporary file with its judgements, named after it."""
    store = JudgementStore(workspace.path, workspace.settings.server.judgements)
    with TemporaryDirectory(prefix="querykin-judgements-") as folder:
        task = store.task(name)
        path = Path(folder) / (re.sub(r"[^\w .-]", "-", name)[:MAX_FILE_NAME] + ".tsv")
        path.write_text(export_judgements(store.given(name), store.needs(name), "tsv"), "utf-8")
        store.close()
        yield task, str(path)
