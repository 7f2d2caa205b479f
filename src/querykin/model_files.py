"""Trained models as small, readable JSON files: weights, their features and the training data.

A workspace keeps its models under `models/`; a few are shipped with the package.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.storage.atomic_write import create_folder
from querykin.storage.checked_json import verified_json, with_checksum
from querykin.storage.published_files import publish_text
from querykin.untrusted_json import InvalidJson, read_json
from querykin.version import __version__

FORMAT, VERSION = "querykin-model", 2
SHIPPED = Path(str(files("querykin.learning") / "shipped"))  # models that come with the package
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

_TERM_FEATURES = {
    "capital": "capitalized",
    "place": "position",
    "log place": "log position",
    "place in sentence": "sentence position",
    "log place in sentence": "log sentence position",
    "log sentence": "log sentence length",
    "own": "query term",
    "own idf": "query term idf",
}
# Names changed since version 1, by their path in the file: keys of an object, or strings of a list.
_RENAMED_SINCE_1: dict[tuple[str, ...], Mapping[str, str]] = {
    ("combination", "content"): {
        "leaders": "first_stage",
        "free": "unconstrained",
        "low": "missing_values",
        "average": "feature_means",
    },
    ("combination", "content", "trees"): {"least": "thresholds", "first": "tree_offsets"},
    ("combination", "training", "report"): {"worth": "permutation_importance"},
    ("tweak", "content", "features"): _TERM_FEATURES,
    ("keywords", "content", "weights", "*"): _TERM_FEATURES,
}


_VERSION_1_FEATURES = {new: old for old, new in _TERM_FEATURES.items()}


def version_1_feature(name: str) -> str:
    """The name of a term feature in version 1; fingerprints use it, so that indexes of 0.1 stay valid."""
    return _VERSION_1_FEATURES.get(name, name)


def upgrade_from_1(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a model of version 1 in the names of version 2; the numbers stay as they are.

    >>> old = {"kind": "tweak", "version": 1, "content": {"features": ["own", "bias"], "weights": [2.0, 5.0]}}
    >>> upgrade_from_1(old)["content"]
    {'features': ['query term', 'bias'], 'weights': [2.0, 5.0]}
    """
    return {**_renamed(raw, (str(raw.get("kind")),)), "version": 2}


def _renamed(value: Any, path: tuple[str, ...]) -> Any:
    names = _RENAMED_SINCE_1.get(path) or _RENAMED_SINCE_1.get((*path[:-1], "*"), {})
    if isinstance(value, Mapping):
        return {names.get(key, key): _renamed(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list) and names:
        return [names.get(item, item) if isinstance(item, str) else item for item in value]
    return value


@dataclass(frozen=True)
class Model:
    """A trained model: `content` is all that is needed to use it, `training` describes how it was made."""

    kind: str  # combination, tweak or keywords
    name: str
    content: Mapping[str, Any]
    training: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Model":
        """Read a model file of this version or of version 1; anything else is an error."""
        from querykin.model_schemas import content_problem

        try:
            raw = read_json(path)
        except FileNotFoundError:
            raise
        except (OSError, InvalidJson) as error:
            raise WorkspaceError(f"{path} cannot be read as a model: {error}; train it again") from error
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise WorkspaceError(f"{path} is not a querykin model; train it again or remove the file")
        if raw.get("version") not in (1, VERSION):
            raise WorkspaceError(
                f"{path} is a model of version {raw.get('version')}; this program reads versions 1 and "
                f"{VERSION}: train it again or use the program that wrote it"
            )
        raw = verified_json(raw, path, required=False)
        if raw["version"] == 1:
            raw = upgrade_from_1(raw)
        try:
            model = cls(str(raw["kind"]), str(raw["name"]), dict(raw["content"]), dict(raw["training"]))
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(f"{path} is damaged ({error!r}); train it again") from error
        if problem := content_problem(model.kind, model.content):
            raise WorkspaceError(f"{path} is damaged: {problem}; train it again or remove the file")
        return model

    def write(self, path: Path) -> None:
        """Write the model atomically: a reader sees the old file or the new one."""
        create_folder(path.parent)
        head = {"format": FORMAT, "version": VERSION, "made_by": __version__}
        content = with_checksum({**head, **asdict(self)})
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
        publish_text(path, text + "\n")


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("[!.]*.json"))


def check_name(name: str) -> str:
    """Return a valid model name, one that can be the name of a file and of a column; raise otherwise."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"a model's name is lower case letters, digits, dots, dashes and underscores, got {name!r}; "
            "next: --name my-combination"
        )
    return name


class Models:
    """The models of a workspace, and behind them the shipped ones."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """The names of the models trained in this workspace."""
        return _names(self.path)

    def read(self, name: str) -> Model:
        """A model by name: one trained in this workspace, else a shipped one."""
        for folder in (self.path, SHIPPED):
            if name in _names(folder):
                return Model.read(folder / f"{name}.json")
        raise UnknownName("model", name, {*self.names(), *_names(SHIPPED)})

    def check_new(self, name: str, kind: str) -> None:
        """Raise if a model of this kind cannot have this name: it is invalid, or a model of another kind."""
        check_name(name)
        try:
            known = self.read(name)
        except (UnknownName, WorkspaceError):  # no such model, or one that cannot be used
            return
        if known.kind != kind:
            raise InputError(f"{name!r} is a model of kind {known.kind!r}; choose another --name")

    def write(self, model: Model) -> Path:
        """Store a model; one of the same name is replaced unless it is of another kind."""
        self.check_new(model.name, model.kind)
        path = self.path / f"{model.name}.json"
        model.write(path)
        return path
