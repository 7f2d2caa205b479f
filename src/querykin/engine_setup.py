"""A new workspace on a search engine elsewhere: its settings file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from querykin.engine_elsewhere import open_corpus
from querykin.errors import InputError, UnknownName
from querykin.progress import SILENT, Progress
from querykin.search.engine import CorpusEngine, engine_class, engines
from querykin.settings import WORKSPACE_SETTINGS, write_workspace_settings
from querykin.storage.object_storage import storage_url
from querykin.workspace import Workspace

_FIELDS = ("title", "text", "url")
Sections = dict[str, dict[str, Any]]


def engine_sections(kind: str, given: Mapping[str, Any], fields: str = "", language: str = "") -> Sections:
    """The sections of a settings file for an engine; values that are empty are left out.

    >>> engine_sections("mediawiki", {"url": "https://wiki.example.com/api.php", "index": ""})
    {'engine': {'kind': 'mediawiki', 'url': 'https://wiki.example.com/api.php'}}
    """
    engines[kind]  # an unknown kind is an error
    engine: dict[str, Any] = {"kind": kind}
    engine |= {name: value for name, value in given.items() if value not in ("", None, False, [])}
    engine |= {f"{name}_field": field for name, field in _parse_fields(fields).items()}
    sections: Sections = {"engine": engine}
    if kind == "opensearch":
        engine["mode"] = "external"
        if "index" not in engine:
            raise InputError("opensearch needs the index that is searched: --index NAME")
        if "url" in engine:
            sections["opensearch"] = {"hosts": engine.pop("url").split(",")}
    if language:
        sections["text"] = {"language": language}
    return sections


def initialize(path: str, sections: Sections, progress: Progress = SILENT) -> Workspace:
    """Write the settings of a workspace, nothing on an error; the engine is not asked yet."""
    if storage_url(path):
        raise InputError(f"init needs a folder, got {path}; next: choose another --workspace")
    folder = Path(path)
    if "frequencies" not in sections["engine"]:
        has_documents = (folder / "corpus").exists() and len(open_corpus(folder)) > 0
        sections["engine"]["frequencies"] = "corpus" if has_documents else "snippets"
    settings = write_workspace_settings(folder, sections)
    try:
        if issubclass(engine_class(settings.engine), CorpusEngine):
            raise InputError(
                f"the engine {settings.engine.kind} searches documents of the workspace and needs no init; "
                "next: querykin corpus add FILE"
            )
        opened = Workspace.open(path, settings, progress=progress)
        opened.engine_info()  # opens the engine
    except BaseException:
        (folder / WORKSPACE_SETTINGS).unlink()
        raise
    return opened


def _parse_fields(given: str) -> dict[str, str]:
    found = dict[str, str]()
    for pair in filter(None, given.split(",")):
        name, _, field = pair.partition("=")
        if name not in _FIELDS:
            raise UnknownName("field", name, _FIELDS)
        if not field:
            raise InputError(f"--fields needs the name of the field of {name}, as in {name}=...")
        found[name] = field
    return found
