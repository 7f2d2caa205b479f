"""Public names of packages that are imported on first use, so that importing a package costs nothing (PEP 562)."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_imports(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """A module-level `__getattr__` for a package; `modules` gives the module of each public name."""

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return get
