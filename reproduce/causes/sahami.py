"""Causes of the verdicts on Sahami & Heilman (2006)."""

from reproduce.published import UNCLEAR, same_cause

FAR_RESULTS = (
    "An encyclopedia has a few documents about a subject, the web hundreds: most of 200 results are about something else, "
    "and the plain centroid weighs all alike."
)

CAUSES = same_cause(
    UNCLEAR,
    FAR_RESULTS,
    "Sahami & Heilman 2006, table 1: share of contrasts in the printed order above one half: "
    "contrasts with evidence (11 of 22), 200 results",
)
