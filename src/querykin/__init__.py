"""Similarity of short texts and related queries, from what a corpus says about them."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports
from querykin.version import __version__

if TYPE_CHECKING:
    from querykin.build_policy import BuildPolicy
    from querykin.errors import (
        InputError,
        MissingExtra,
        MissingPackage,
        QuerykinError,
        UnknownName,
        WorkspaceError,
    )
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
    "MissingPackage",
    "Passage",
    "QuerykinError",
    "Settings",
    "UnknownName",
    "Workspace",
    "WorkspaceError",
    "__version__",
]

__getattr__ = lazy_imports(
    __name__,
    {
        "BuildPolicy": "build_policy",
        "InputError": "errors",
        "MissingExtra": "errors",
        "MissingPackage": "errors",
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
    },
)
