"""Why published orderings have the verdict they have on our sets, written by hand after a run.

A key is that of `PublishedOrdering`; a cause that no longer fits its verdict makes the run fail.
"""

from reproduce.published import Cause

LEXICAL = (
    "Excellent matches of the paper were mostly the query or a part of it; here suggestions are longer than the query, and one more word "
    "is no lexical match."
)
EXCELLENT = "trec_tasks, highly relevant (Excellent)"
CAUSES = {
    f"Metzler et al. 2007, figure 2: `lexical` above `{name}`: {EXCELLENT}": Cause("reversed", LEXICAL)
    for name in ("dense-prob", "sparse-prob")
}
