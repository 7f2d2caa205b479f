"""Why published orderings have the verdict they have on our sets, written by hand after a run; a file for each paper.

A key is that of `PublishedOrdering`; a cause that no longer fits its verdict makes the run fail.
"""

from reproduce.causes import alfonseca, metzler, sahami, yih, yih_meek

CAUSES = {**sahami.CAUSES, **metzler.CAUSES, **yih_meek.CAUSES, **yih.CAUSES, **alfonseca.CAUSES}
