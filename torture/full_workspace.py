"""A small workspace with every kind of file, and a fixed set of questions to it."""

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from querykin import Document, Workspace
from querykin.build_policy import BuildPolicy
from querykin.clustering.hand_changes import HandChange
from querykin.errors import ServiceUnavailable
from querykin.evaluation.history import store_run, stored_runs
from querykin.experiments.evaluation import EvaluationTask, evaluate_file
from querykin.io.log_files import LogRecord
from querykin.learning.combination.training import CombinationTask, train_combination
from querykin.progress import SILENT, Progress
from querykin.querylog.counted_queries import CountedQueries
from querykin.search.external.reply_cache import ReplyCache
from querykin.server.jobs.job import State
from querykin.server.jobs.record import JobRecord, records
from querykin.server.judgement_records import Item
from querykin.server.judgement_store import JudgementStore
from querykin.settings import Settings
from querykin.settings_sections import TextSettings

LOGGED = ("co-click", "co-session", "reformulation")
MEASURES = ("web-kernel", "hybrid-static", "sparse-prob", "jaccard", "distributional", "latent", *LOGGED)
TRAINED = "mine"
CLUSTERED = ("jaccard-stems", "web-kernel")
SETTINGS = Settings(text=TextSettings(language="en"))
ASKED = ("old bridge", "stone bridge", "warm bread")  # of a search engine elsewhere
DOCUMENTS = 400  # so that the larger arrays have several blocks
_NOUNS = [
    "bridge",
    "engine",
    "mill",
    "wall",
    "boat",
    "harbor",
    "village",
    "river",
    "valley",
    "coast",
    "tower",
    "market",
    "garden",
    "forest",
    "mountain",
    "road",
    "castle",
    "church",
    "school",
    "station",
    "kitchen",
    "oven",
    "bread",
    "soup",
    "apple",
    "sugar",
    "rocket",
    "planet",
    "telescope",
    "orbit",
    "probe",
    "island",
    "volcano",
    "language",
    "program",
    "compiler",
    "library",
    "thread",
    "memory",
    "browser",
    "server",
    "game",
    "ball",
    "team",
    "league",
    "season",
    "player",
]
_QUALITIES = [
    "old",
    "stone",
    "wooden",
    "northern",
    "small",
    "famous",
    "quiet",
    "broken",
    "modern",
    "virtual",
    "sweet",
    "warm",
    "distant",
    "narrow",
]
_VERBS = [
    "crosses",
    "builds",
    "guards",
    "feeds",
    "follows",
    "connects",
    "surrounds",
    "carries",
    "measures",
    "paints",
    "repairs",
    "opens",
]
Question = Callable[[Workspace], Any]


def build(folder: Path, earlier: Path | None = None, documents: int = DOCUMENTS) -> Path:
    """Build the workspace; a copy of an earlier state, with fewer documents and queries, goes to `earlier`."""
    path, judged, random = folder / "workspace", folder / "judged.tsv", Random(0)
    workspace = Workspace.open(path, SETTINGS)
    workspace.corpus.add(_documents(random, 0, documents // 2))
    workspace = workspace.reopen()
    workspace.repository.add([(query, count) for query, count in _queries(random, 60)], source="log")
    workspace.add_log(_log(random), "sessions")
    if earlier:
        _derive(workspace.reopen(BuildPolicy.BUILD), judged)
        shutil.copytree(path, earlier)
    workspace = workspace.reopen()
    workspace.corpus.add(_documents(random, documents // 2, documents))
    workspace.corpus.remove(["7", str(documents - 2)])
    workspace = workspace.reopen()
    workspace.repository.add([(query, count) for query, count in _queries(random, 60)], source="shop")
    workspace.reopen().repository.remove([next(iter(workspace.repository.all_queries()))])
    _derive(workspace.reopen(BuildPolicy.BUILD), judged)
    return path


def _documents(random: Random, begin: int, end: int) -> list[Document]:
    return [
        Document(str(number), _text(random, 1).removeprefix("The ").rstrip("."), _text(random, 12))
        for number in range(begin, end)
    ]


def _text(random: Random, sentences: int) -> str:
    parts = (random.choice(_QUALITIES), random.choice(_NOUNS), random.choice(_VERBS), random.choice(_NOUNS))
    first = f"The {parts[0]} {parts[1]} {parts[2]} the {parts[3]}."
    return first if sentences == 1 else f"{first} {_text(random, sentences - 1)}"


def _queries(random: Random, number: int) -> list[tuple[str, int]]:
    return [
        (f"{random.choice(_QUALITIES)} {random.choice(_NOUNS)}", random.randint(1, 50)) for _ in range(number)
    ]


def _log(random: Random) -> list[LogRecord]:
    asked = [query for query, _ in _queries(random, 12)]
    return [
        LogRecord(query, str(session), float(place), f"https://example.com/{random.choice(_NOUNS[:6])}")
        for session in range(40)
        for place, query in enumerate(["old bridge", *random.sample(asked, 3)])
    ]


def _derive(workspace: Workspace, judged: Path) -> None:
    """Everything that is derived from documents and queries, and everything that users add."""
    # From scratch, so that whatever is built again after damage gives the same answers.
    workspace.build_all([*MEASURES, *CLUSTERED], rebuild=True)
    shutil.rmtree(workspace.path / "query-log", ignore_errors=True)
    _write_judgements(judged, list(workspace.repository.all_queries())[:12])
    train_combination(
        workspace, CombinationTask(str(judged), TRAINED, ["web-kernel", "jaccard-stems", "edit"])
    )
    train_combination(workspace, CombinationTask(str(judged), "other", ["jaccard-stems", "edit"]))
    workspace = workspace.reopen(BuildPolicy.BUILD)
    for measure in CLUSTERED:
        workspace.cluster(measure, threshold=0.3)
    workspace.query_frequencies  # noqa: B018  # counted on first use
    workspace.block_list.add(["volcano"])
    listed = workspace.keyword_list(
        "list.csv", CountedQueries.collect([("old bridge", 2), ("bridges old", 1)])
    )
    listed.cluster("jaccard-stems", threshold=0.5)
    first, second, *_ = workspace.repository.all_queries()
    workspace.hand_changes.add(HandChange(first, second))
    outcome = evaluate_file(workspace, EvaluationTask(str(judged), measures=["jaccard-stems", TRAINED]))
    store_run(workspace.path / "evaluations", outcome, "judged.tsv")
    store = JudgementStore(workspace.path)
    if not store.tasks():
        store.create("bridges", "quality", ["jaccard"], [Item(1, "old bridge", "stone bridge")])
    store.record("old bridge", "stone bridge", 3.0, "Ann", "bridges", "nice")
    store.close()
    for query in ASKED:
        ReplyCache(workspace.path).put("engine", query, 0, f'["{query}"]'.encode())
    job = JobRecord.new(workspace.path / "jobs")
    job.describe("build", "Build", {"measures": ["jaccard"]}, "page")
    job.finish(State.DONE, {"message": "built"})


def _write_judgements(path: Path, queries: list[str]) -> None:
    rows = [
        f"{query}\t{candidate}\t{2 if set(query.split()) & set(candidate.split()) else 0}"
        for query in queries
        for candidate in queries
        if query != candidate
    ]
    path.write_text("query\tcandidate\tgrade\n" + "\n".join(rows) + "\n", "utf-8")


def open_workspace(path: Path, progress: Progress = SILENT) -> Workspace:
    """The workspace as a command opens it."""
    return Workspace.open(path, SETTINGS, progress=progress)


def questions(path: Path) -> Mapping[str, Question]:
    """What is asked, by name; answers are compared as they are printed, to the last digit."""
    judged = path.parent / "judged.tsv"
    asked: dict[str, Question] = {}
    for measure in (*MEASURES, TRAINED):
        asked[f"suggest {measure}"] = partial(_suggest, measure=measure)
        asked[f"similarity {measure}"] = partial(_similarity, measure=measure)
    for measure in CLUSTERED:
        asked[f"cluster {measure}"] = partial(_cluster, measure=measure)
    return asked | {
        "query log": lambda it: it.query_frequencies.frequencies(it.corpus.vocabulary.hashes).sum(),
        "match": lambda it: it.match(["old bridge", "warm bread", "distant planet"], 5, "hybrid-static"),
        "log": lambda it: (sorted(it.log.seen_queries(1)), it.log.sources()),
        "search": lambda it: it.search("stone bridge river", 5),
        "corpus list": lambda it: list(it.corpus.documents()),
        "corpus show": lambda it: (it.corpus.document("11"), it.corpus.sources()),
        "repository list": lambda it: (list(it.repository.by_count()), it.repository.totals()),
        "block list": lambda it: it.block_list.current.entries,
        "keyword list": lambda it: [
            it.open_keyword_list(each.id).cluster("jaccard-stems", threshold=0.5)
            for each in it.keyword_lists.all()
        ],
        "evaluate": lambda it: evaluate_file(it, EvaluationTask(str(judged), measures=[TRAINED])).evaluation,
        "evaluations": lambda it: [
            (dict(run.facts), run.report) for run in stored_runs(it.path / "evaluations")
        ],
        "judgements": _judgements,
        "replies": _replies,
        "jobs": lambda it: [record.read() for record in records(it.path / "jobs")],
    }


def _suggest(workspace: Workspace, measure: str) -> Any:
    known = next(iter(workspace.repository.all_queries()))
    return [
        workspace.suggest(query, 5, measure, min_probability=0) for query in (known, "famous old bridges")
    ]


def _similarity(workspace: Workspace, measure: str) -> Any:
    return workspace.similarity("old stone bridge", "wooden bridge river", measure)


def _cluster(workspace: Workspace, measure: str) -> Any:
    return workspace.cluster(measure, threshold=0.3)


def _replies(workspace: Workspace) -> Any:
    found = [ReplyCache(workspace.path).get("engine", query, 0) for query in ASKED]
    if None in found:
        raise ServiceUnavailable("an engine elsewhere would be asked again")
    return [reply.content for reply in found if reply]


def _judgements(workspace: Workspace) -> Any:
    store = JudgementStore(workspace.path)
    try:
        return [(task, store.items(task.name), store.judgements(task.name)) for task in store.tasks()]
    finally:
        store.close()
