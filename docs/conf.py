"""Sphinx configuration: MyST pages under docs/ and an API reference generated from docstrings.

`make docs` builds the site in build/docs; warnings are errors.
"""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from querykin import __version__

project = "querykin"
author = "the querykin authors"
copyright = author
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

html_theme = "furo"
html_title = f"querykin {__version__}"

default_role = "code"  # docstrings mark names with single backticks
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_preserve_defaults = True
autosummary_generate = False  # every public name is listed by hand in docs/reference/api


class RepositoryLinks(SphinxPostTransform):
    """Links to Markdown files of the repository outside docs/ (results, CHANGELOG) become plain text.

    A source browser follows them; `tests/test_docs.py` checks that the files exist.
    """

    default_priority = 8  # before MyST resolves its references

    def run(self, **_: object) -> None:
        """Replace each such reference by its text."""
        source = Path(self.env.srcdir).resolve()
        for node in list(self.document.findall(addnodes.pending_xref)):
            if node.get("refdomain") == "doc":
                target = (source / f"{node['reftarget']}.md").resolve()
                if target.is_file() and not target.is_relative_to(source):
                    node.replace_self(nodes.inline("", "", *node.children))


def escape_bars(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Escape vertical bars: docstrings write set sizes as |Q & S|, which are substitutions in reST."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", r"\|") for line in lines]


def setup(app: Sphinx) -> None:
    """Register the hooks above."""
    app.add_post_transform(RepositoryLinks)
    app.connect("autodoc-process-docstring", escape_bars)
