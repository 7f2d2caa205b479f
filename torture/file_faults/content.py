"""What a workspace holds, to be compared with what it should hold."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from querykin import QuerykinError, Workspace
from querykin.build_policy import BuildPolicy
from querykin.evaluation.history import stored_runs
from querykin.search.external.reply_cache import REPLIES, ReplyCache
from querykin.server.judgement_store import JudgementStore
from querykin.settings import WORKSPACE_SETTINGS
from querykin.storage.part_folders import MARKER
from querykin.storage.sqlite_files import open_read_only
from querykin.storage.store import Store

Content = dict[str, Any]
_QUERIES = ("garden rose", "rocket engine")
_TIMES = ("at", "used", "seconds", "created", "trained_at")


def primary_content(path: Path) -> Content:
    """What users gave the workspace, by store; an error message in place of what cannot be read."""
    workspace = Workspace.open(path, policy=BuildPolicy.REFUSE)
    parts: dict[str, Callable[[Workspace], Any]] = {
        "documents": lambda each: sorted(map(repr, each.corpus.documents())),
        "sources": lambda each: each.corpus.sources(),
        "queries": lambda each: (list(map(repr, each.repository.by_count())), each.repository.sources()),
        "log": lambda each: (each.log.sources(), each.log.sessions, sorted(each.log.seen_queries(1))),
        "settings": lambda each: _settings(path),
        "block list": lambda each: sorted(each.block_list.current.kinds()),
        "models": lambda each: models(path),
        "evaluations": lambda each: [
            _without_times(dict(run.facts)) for run in stored_runs(path / "evaluations")
        ],
        "keyword lists": _keyword_lists,
        "judgements": lambda each: _judgements(path),
        "changes by hand": lambda each: each.hand_changes.all(),
        "replies": lambda each: replies(path),
    }
    content = {}
    for name, read in parts.items():
        try:
            content[name] = read(workspace)
        except QuerykinError as error:
            content[name] = f"error: {str(error).replace(str(path), 'WORKSPACE')}"
    return content


def answers(path: Path) -> Content:
    """Suggestions from what is built; the first words of the error where it is not."""
    found: Content = {}
    for measure in ("jaccard", "web-kernel"):
        workspace = Workspace.open(path, policy=BuildPolicy.REFUSE)
        for query in _QUERIES:
            try:
                found[f"{measure}: {query}"] = repr(workspace.suggest(query, 5, measure=measure))
            except QuerykinError as error:
                found[f"{measure}: {query}"] = f"error: {type(error).__name__}"
    return found


def models(path: Path) -> dict[str, str]:
    """The trained models without the times of their training."""
    trained = Workspace.open(path).models
    return {
        name: re.sub(r"\d{4}-\d\d-\d\dT[\d:.+-]+", "TIME", repr(trained.read(name)))
        for name in trained.names()
    }


def stored_files(path: Path) -> Counter[tuple[str, ...]]:
    """The files of all parts by store, kind of part, name and checksum, whatever ids they were given."""
    found: Counter[tuple[str, ...]] = Counter()
    for manifest in path.rglob("manifest.json"):
        folder = manifest.parent
        kind = json.loads(manifest.read_text("utf-8"))["kind"]
        store = Store(folder, kind)
        for part, files in store.manifest().parts.items():
            for file in files:
                # Those of tantivy have random ids in them, and in their names; the mark has that of the store.
                if not file.endswith((".json", MARKER)):
                    name = Path(file).suffix if "/" in file else file
                    place = folder.relative_to(path).as_posix(), part.partition("-")[0], name
                    content = (store.part(part) / file).read_bytes()
                    found[*place, hashlib.sha256(content).hexdigest()] += 1
    return found


def _settings(path: Path) -> str:
    file = path / WORKSPACE_SETTINGS
    return file.read_text("utf-8") if file.exists() else ""


def _keyword_lists(workspace: Workspace) -> list[Any]:
    found = []
    for each in workspace.keyword_lists.all():
        opened = workspace.open_keyword_list(each.id)
        file = each.file.read_bytes() if each.file else None
        found.append((each.id, each.name, each.keywords, list(map(repr, opened.repository.by_count())), file))
    return found


def _judgements(path: Path) -> list[Any]:
    if not (path / "judgements.db").exists():
        return []
    store = JudgementStore(path)
    found = [
        (
            task.name,
            task.scale,
            store.needs(task.name),
            [(e.query, e.candidate, e.grade, e.rater) for e in store.judgements(task.name)],
        )
        for task in store.tasks()
    ]
    store.close()
    return found


def replies(path: Path) -> list[tuple[str, bytes]]:
    """The stored replies of search engines elsewhere; a damaged one counts as missing."""
    if not (path / REPLIES).exists():
        return []
    cache = ReplyCache(path)
    with open_read_only(path / REPLIES) as connection:
        keys = connection.execute("SELECT engine, query, page FROM replies ORDER BY query").fetchall()
    return [(key[1], reply.content) for key in keys if (reply := cache.get(*key))]


def _without_times(facts: dict[str, Any]) -> str:
    return repr({key: value for key, value in facts.items() if key not in _TIMES})
