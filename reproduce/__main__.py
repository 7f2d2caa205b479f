"""Run everything and write reproduce/RESULTS.md: `python -m reproduce`."""

from collections.abc import Callable

from querykin import Workspace, __version__
from reproduce import ablation, analysis, data, judged, table1, theorems

OUT = data.ROOT / "reproduce" / "RESULTS.md"
MEASURES = sorted({*table1.MEASURES, *judged.MEASURES})


def main() -> None:
    """Write the results, or say why there are none."""
    if absent := data.missing():
        print(absent)
        return
    workspace = data.workspace()
    sections = [
        _head(workspace),
        _section("Table 1 of Sahami & Heilman (2006)", "table1", table1.report, workspace, analysis.TABLE1),
        _section("Judged pairs", "judged", judged.report, workspace, analysis.JUDGED),
        _section("Step by step from the printed kernel to web-kernel", "ablation", ablation.report, workspace,
                 analysis.STEPS),
        _section("Theorems 1 to 3 by simulation", "theorems", lambda _: theorems.report(), workspace,
                 analysis.THEOREMS),
    ]  # fmt: skip
    OUT.write_text("\n\n".join(sections) + "\n", "utf-8")
    print(f"written: {OUT.relative_to(data.ROOT)}")


def _head(workspace: Workspace) -> str:
    settings = "\n".join(f"- `{name}`: `{workspace.measure(name)!r}`" for name in MEASURES)
    return f"""# Results

Written by `python -m reproduce` with querykin {__version__}; set `QUERYKIN_DATA` to the folder of the data.
The paragraphs under "Reading" were written by hand after the run whose figures stand in this file.

Corpus: Simple English Wikipedia (2021) and the oldest articles of English Wikipedia (2015, their first 4,000
characters): {data.build_facts()}.

Settings, all defaults:

{settings}
- expansion: windows of {workspace.expander.window} characters; a text is covered when its results hold \
{workspace.expander.held_mass:.0%} of its idf mass"""


def _section(title: str, module: str, report: Callable[[Workspace], str], workspace: Workspace,
             reading: str) -> str:  # fmt: skip
    print(f"\n## {title}\n", flush=True)
    text = report(workspace)
    print(text, flush=True)
    return f"## {title}\n\n`python -m reproduce.{module}`\n\n{text}\n\n### Reading\n\n{reading.strip()}"


if __name__ == "__main__":
    main()
