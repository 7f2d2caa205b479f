"""Every command that writes to a workspace: what goes before it, and how to run it."""

import json
import shutil
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from querykin.clustering.hand_changes import HandChange, HandChanges
from querykin.search.external.mediawiki_engine import MediaWikiEngine
from querykin.search.external.reply_cache import ReplyCache
from querykin.server.judgement_store import JudgementStore
from querykin.settings import workspace_settings
from querykin.storage.store import Store

ADD = "corpus add documents.jsonl"
QUERIES = "repository add queries.tsv"
BUILD = "build --measures jaccard,web-kernel"
FIXTURE = Path(__file__).parent.parent.parent / "tests" / "fixtures" / "workspace-0.1.tar.xz"
Step = str | Callable[[Path], None]


@dataclass(frozen=True)
class Command:
    """A command line, or a call of the library on the folder of a workspace, after others.

    In a command line, {disk} is the folder that holds the workspace.

    If it is not `repeatable`, it refuses to do again what it has done, or does it a second time. A `resumable` one
    may be done in part, or refuse readers, until it is run again.
    """

    name: str
    step: Step
    after: tuple[Step, ...] = ()
    repeatable: bool = True
    resumable: bool = False


def _judge(candidate: str) -> Callable[[Path], None]:
    def judge(workspace: Path) -> None:
        store = JudgementStore(workspace)
        store.record("garden rose", candidate, 2, "Ann", "garden", need="flowers for a garden")
        store.close()

    return judge


def _store_reply(*queries: str) -> Callable[[Path], None]:
    """What the engine of `_INIT` does when the wiki answers."""

    def store(workspace: Path) -> None:
        engine = MediaWikiEngine(workspace_settings(workspace).engine, ReplyCache(workspace))
        for number, query in enumerate(queries):
            found = [
                {"pageid": 10 * number + n, "title": f"{word} {n}", "snippet": f"A {query} is a {word}."}
                for n, word in enumerate(("flower", "plant", "shrub"))
            ]
            reply = json.dumps({"query": {"search": found}}).encode()
            engine.cache.put(engine.fingerprint, query, 0, reply, engine.description)

    return store


def _change_clusters(workspace: Path) -> None:
    HandChanges(workspace).add(HandChange("garden rose", "garden tulip"))


def _unpack_old_workspace(workspace: Path) -> None:
    with tarfile.open(FIXTURE) as archive:
        for member in archive:
            if "/index/" not in member.name or "/index/words" in member.name:  # one index of ten
                archive.extract(member, workspace.parent)
    (workspace.parent / "workspace").rename(workspace)


def _leave_unfinished_part(workspace: Path) -> None:
    store = Store(workspace / "repository", "repository")
    (store.part(store.new_part("queries")) / "texts.bin").write_bytes(b"half a file")


def _damage_index(workspace: Path) -> None:
    file = next((workspace / "index" / "words").glob("parts/*/query_ids.npy"))
    file.write_bytes(file.read_bytes()[:-1])


def _delete(workspace: Path) -> None:
    shutil.rmtree(workspace)


_FILLED = (ADD, QUERIES)
_BUILT = (*_FILLED, BUILD)
_BACKUP = "backup {disk}/saved.tar.zst"
_LOG = "log add sessions.tsv"
_INIT = "init --engine mediawiki --url https://wiki.example.com/api.php --offline"
_CHANGED = (*_BUILT, f"{_BACKUP} --replace", "corpus add more.jsonl", "repository add more-queries.tsv")
COMMANDS = (
    Command("corpus add", ADD),
    Command("corpus add FOLDER", "corpus add folder"),
    Command("corpus add again", "corpus add more.jsonl", (ADD,)),
    Command(
        "corpus add --replace",
        "corpus add --replace --source documents.jsonl replacement/documents.jsonl",
        (ADD,),
    ),
    Command("corpus remove", "corpus remove rocket-0 garden-1 kitchen-2", (ADD,), repeatable=False),
    Command(
        "corpus remove --source",
        "corpus remove --source more.jsonl",
        (ADD, "corpus add more.jsonl"),
        repeatable=False,
    ),
    Command("repository add", QUERIES, (ADD,)),
    Command("repository add again", "repository add more-queries.tsv", _FILLED),
    Command(
        "repository add --replace", "repository add --replace --source queries.tsv more-queries.tsv", _FILLED
    ),
    Command(
        "repository remove", "repository remove 'rocket engine' 'garden rose'", _FILLED, repeatable=False
    ),
    Command("repository mine", "repository mine", (ADD,)),
    Command("init", _INIT, repeatable=False),
    Command("first reply", _store_reply("garden rose"), (_INIT,)),
    Command("reply", _store_reply("garden tulip"), (_INIT, _store_reply("garden rose"))),
    Command(
        "similarity on an engine elsewhere",
        "similarity 'garden rose' 'garden tulip' --measure web-kernel",
        (_INIT, _store_reply("garden rose", "garden tulip")),
    ),
    Command("log add", _LOG, resumable=True),
    Command("log add again", "log add more-sessions.tsv", (*_FILLED, _LOG), resumable=True),
    Command(
        "log remove",
        "log remove --source sessions.tsv",
        (*_FILLED, _LOG, "log add more-sessions.tsv"),
        repeatable=False,
        resumable=True,
    ),
    Command("build co-session", "build --measures co-session", (*_FILLED, _LOG)),
    Command("build", "build --measures jaccard,web-kernel,latent", _FILLED),
    Command("build hybrid", "build", _FILLED),
    Command(
        "build after additions", BUILD, (*_BUILT, "corpus add more.jsonl", "repository add more-queries.tsv")
    ),
    Command(
        "build after removals",
        BUILD,
        (*_BUILT, "corpus remove rocket-0 garden-1", "repository remove 'garden rose'"),
    ),
    Command("build --rebuild", f"{BUILD} --rebuild", _BUILT),
    Command("block add", "block add rose --pattern 'apple *'", _BUILT),
    Command("block remove", "block remove rose", (*_BUILT, "block add rose oven"), repeatable=False),
    Command("train combination", "train combination judged.tsv --measures jaccard,edit --name mine", _BUILT),
    Command("train tweak", "train tweak judged.tsv --name tweaked --features tf-df", _BUILT),
    Command("train keywords", "train keywords gold.jsonl", (ADD,)),
    Command("evaluate", "evaluate judged.tsv --measures jaccard,edit", _BUILT, repeatable=False),
    Command("cluster", "cluster --measure jaccard --threshold .3", _BUILT),
    Command("cluster FILE", "cluster keywords.tsv --measure jaccard --threshold .3", _FILLED),
    Command("first judgement", _judge("tulip"), (ADD,), repeatable=False),
    Command("judgement", _judge("compost"), (ADD, _judge("tulip")), repeatable=False),
    Command("clusters changed by hand", _change_clusters, _FILLED, repeatable=False),
    Command("upgrade", "upgrade", (_unpack_old_workspace,), resumable=True),
    Command("check --repair", "check --repair", (*_FILLED, _leave_unfinished_part)),
    Command("check --repair of an index", "check --repair", (*_BUILT, _damage_index), resumable=True),
    Command("backup", f"{_BACKUP} --replace", _BUILT),
    Command(
        "restore",
        "restore {disk}/saved.tar.zst",
        (*_BUILT, f"{_BACKUP} --replace", _delete),
        resumable=True,
        repeatable=False,
    ),
    Command("restore --replace", "restore {disk}/saved.tar.zst --replace", _CHANGED, resumable=True),
    Command(
        "restore --only", "restore {disk}/saved.tar.zst --replace --only repository", _CHANGED, resumable=True
    ),
)


def select(names: Sequence[str]) -> Sequence[Command]:
    """The commands of these names; all if there are none."""
    return [command for command in COMMANDS if not names or command.name in names]
