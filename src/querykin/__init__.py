"""Similarity of short texts and related queries, from what a corpus says about them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from querykin.version import __version__

if TYPE_CHECKING:
    from querykin.build_policy import BuildPolicy
    from querykin.errors import InputError, MissingExtra, QuerykinError, UnknownName, WorkspaceError
    from querykin.settings import Settings
    from querykin.types import Contribution, Document, Explanation, Hit, Passage
    from querykin.workspace import Workspace

__all__ = [
    "BuildPolicy",
    "Contribution",
    "Document",
    "Explanation",
    "Hit",
    "InputError",
    "MissingExtra",
    "Passage",
    "QuerykinError",
    "Settings",
    "UnknownName",
    "Workspace",
    "WorkspaceError",
    "__version__",
]

# The module of each public name, imported on first use: `import querykin` alone costs nothing.
_MODULES = {
    "BuildPolicy": "build_policy",
    "InputError": "errors",
    "MissingExtra": "errors",
    "QuerykinError": "errors",
    "UnknownName": "errors",
    "WorkspaceError": "errors",
    "Settings": "settings",
    "Contribution": "types",
    "Document": "types",
    "Explanation": "types",
    "Hit": "types",
    "Passage": "types",
    "Workspace": "workspace",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"querykin.{_MODULES[name]}"), name)
