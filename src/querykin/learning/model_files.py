"""What was learnt, as a small file that people can read: weights, what they mean and what they come from.

A model is one JSON file under `models/` of a workspace; a few are shipped with the program.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.storage.atomic_write import write_text
from querykin.version import __version__

FORMAT, VERSION = "querykin-model", 1
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
SHIPPED = Path(str(files("querykin.learning") / "shipped"))  # models that come with the program


@dataclass(frozen=True)
class Model:
    """What a learner left: `content` is all that is needed to use it, `training` says what it learnt from."""

    kind: str  # combination, tweak or keywords
    name: str
    content: Mapping[str, Any]
    training: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Model":
        """Read a model; one of another version or with other contents than ours is refused."""
        try:
            raw = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"{path} cannot be read as a model: {error}; train it again") from error
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise WorkspaceError(f"{path} is not a model of querykin; train it again or take the file away")
        if raw.get("version") != VERSION:
            raise WorkspaceError(
                f"{path} is a model of version {raw.get('version')}; this program reads version {VERSION}: "
                "train it again or use the program that wrote it"
            )
        try:
            return cls(str(raw["kind"]), str(raw["name"]), dict(raw["content"]), dict(raw["training"]))
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(f"{path} is damaged ({error!r}); train it again") from error

    def write(self, path: Path) -> None:
        """Write the model in one step: a reader sees the old file or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        head = {"format": FORMAT, "version": VERSION, "made_by": __version__}
        text = json.dumps({**head, **asdict(self)}, ensure_ascii=False, indent=1, allow_nan=False)
        write_text(path, text + "\n")


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("[!.]*.json"))


def check_name(name: str) -> str:
    """Accept a name that can be a file's and a column's."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"a model's name is lower case letters, digits, dots, dashes and underscores, got {name!r}; "
            "next: --name my-combination"
        )
    return name


class Models:
    """The models of a workspace."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """The names of all models that were trained here."""
        return _names(self.path)

    def read(self, name: str) -> Model:
        """A model by its name: one that was trained here, else one that comes with the program."""
        for folder in (self.path, SHIPPED):
            if name in _names(folder):
                return Model.read(folder / f"{name}.json")
        raise UnknownName("model", name, {*self.names(), *_names(SHIPPED)})

    def check_new(self, name: str, kind: str) -> None:
        """Complain about a name that a new model of a kind cannot have: it is one of another kind."""
        check_name(name)
        try:
            known = self.read(name)
        except (UnknownName, WorkspaceError):  # nothing there, or nothing that can be used
            return
        if known.kind != kind:
            raise InputError(f"{name!r} is a model of kind {known.kind!r}; choose another --name")

    def write(self, model: Model) -> Path:
        """Keep a model; one of the same name is replaced, unless it is of another kind."""
        self.check_new(model.name, model.kind)
        path = self.path / f"{model.name}.json"
        model.write(path)
        return path
