"""How this package was installed, and the command that adds an optional part to it.

The package may come from a checkout, from a wheel or from an index. pip records which (PEP 610).
"""

import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import urlsplit

_NAME = "querykin"


def install_command(extra: str, name: str = _NAME) -> str:
    """The pip command that installs an optional part of this installation.

    >>> install_command("server").endswith("[server]'")
    True
    """
    try:
        installed = distribution(name)
    except PackageNotFoundError:  # imported from a folder of sources
        return f"pip install '.[{extra}]' in the checkout"
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if not origin:  # from an index
        return f"pip install {quote(f'{name}[{extra}]')}"
    return _from_origin(origin, name, extra) or _from_requirements(installed, extra)


def _from_origin(origin: dict[str, Any], name: str, extra: str) -> str:
    """The command that installs from the same place again; none if it is gone."""
    from urllib.request import url2pathname

    address = urlsplit(origin["url"])
    if address.scheme == "file":
        path = Path(url2pathname(address.path))
        editable = "--editable " if origin.get("dir_info", {}).get("editable") else ""
        return f"pip install {editable}{quote(f'{path}[{extra}]')}" if path.exists() else ""
    if "vcs_info" in origin:
        vcs, commit = origin["vcs_info"]["vcs"], origin["vcs_info"]["commit_id"]
        return f"pip install {quote(f'{name}[{extra}] @ {vcs}+{address.geturl()}@{commit}')}"
    return f"pip install {quote(f'{name}[{extra}] @ {address.geturl()}')}"


def _from_requirements(installed: Distribution, extra: str) -> str:
    """The command that installs the packages of an optional part by name."""
    marker = re.compile(rf"""\s*;\s*extra\s*==\s*["']{re.escape(extra)}["']\s*$""")
    wanted = [marker.sub("", line) for line in installed.requires or () if marker.search(line)]
    return f"pip install {' '.join(map(quote, wanted))}"
