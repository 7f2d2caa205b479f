"""The models that come with the package, trained again: `python -m reproduce.shipped` says whether they are the same.

`python -m reproduce.shipped write` writes them. The same data and version give the same bytes.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin import Workspace
from querykin.model_files import SHIPPED, Model
from reproduce import data, keywords, landing_pages, tweak
from reproduce.markdown import table


def report(workspace: Workspace) -> str:
    """Whether each shipped file has the bytes of a model trained now."""
    rows = []
    with TemporaryDirectory() as folder:
        for model in _trained(workspace):
            again = Path(folder) / f"{model.name}.json"
            model.write(again)
            same = again.read_bytes() == (SHIPPED / again.name).read_bytes()
            rows.append([model.name, str(model.training["file"]), "the same bytes" if same else "differs"])
            print("  " + " | ".join(rows[-1]), flush=True)
    return table(["model", "trained on", "the shipped file"], rows)


def write(workspace: Workspace) -> str:
    """Train the models and write the shipped files."""
    models = _trained(workspace)
    for model in models:
        model.write(SHIPPED / f"{model.name}.json")
    return f"written: {', '.join(model.name for model in models)}"


def _trained(workspace: Workspace) -> list[Model]:
    return [module.shipped(workspace) for module in (keywords, tweak, landing_pages)]


if __name__ == "__main__":
    data.show(write if sys.argv[1:] == ["write"] else report)
