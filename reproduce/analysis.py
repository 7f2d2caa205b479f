"""What the tables mean, written by hand after the run in RESULTS.md: read it again when figures change."""

TABLE1 = """
The paper's ranking of all pairs is not reproduced: the correlation with its K is slightly negative for the
kernel as printed and weakly positive for web-kernel, and with so few pairs (a standard error of about .2)
neither can be told from 0. Leaving out the pairs with a word in common, a subset chosen after seeing scores,
does not change that. The likely reason is that the level of a score depends here on how well the corpus knows
each text: only two documents hold "SVM", and many that hold "AI" are about singers called Ai. The paper's own
set overlap follows its K closely; ours does not.

Within contrasts, where one text is fixed, web-kernel gives the paper's order in 16 of 22 cases with evidence,
the kernel as printed in 11, which is chance; the contrasts overlap, so they are no independent sample.

Of web-kernel's six reversals four set a pair against one with a word in common, and that word gives most of
the score (web page / Larry Page, and the two javas). Larry Page before Eric Schmidt as Google CEO is what the
corpus says: its articles are of 2015 and 2021 and name Page as chief executive. Ballmer and Gates for
Microsoft CEO is a near tie (.376 and .383).

The question about Lincoln is reversed by every measure: it finds mostly the articles on Lincoln himself, so
its expansion is nearly that of "Abraham Lincoln". The evidence rule is lenient (a mention anywhere in a
document counts, and java programming / Indonesia passes); it was fixed before any score was seen and is left
as it was.
"""

JUDGED = """
The kernel as printed is worse than the plain overlap of result sets on uqv100 and neuqs, and better on bird.
web-kernel is ahead of every other measure here on all three sets, with intervals that exclude 0; on neuqs QR
only just: the cosine of idf-weighted stems, which asks the corpus for nothing but idf, comes near it, since
there the words of the two texts decide most of the judgement.

These sets were at hand while the constants of web-kernel and of the search engine were settled, so take the
figures as those of development data, which may lean towards web-kernel. Sentence embeddings are better on the
same rows (all-MiniLM-L6-v2: AUC .989, .868 and .936 according to the notes that come with the data). Seconds
include the searches and come from a shared machine: compare them only roughly.
"""

STEPS = """
Most of the gain over the printed kernel comes from one change, weighting results by their relevance; on neuqs
the text's own words add the rest, those that the results do not hold in particular, and on bird the smaller
number of results. Log tf and stems do not pay here: their intervals include 0 on uqv100 and neuqs, and on bird
each is a small loss whose interval excludes 0; they stay because rows are smaller and other forms of a word
are found. Damping gains .002 on uqv100 and nothing elsewhere; dropping the light terms costs nothing. Each
step is measured on top of the ones above it, so another order would share the gains out differently.
"""

THEOREMS = """
Theorem 1 holds to sampling error, and while the overlap falls to 0 with a growing relevant set, K hardly
moves: the paper's argument for the kernel. Theorem 2 depends on what sigma is. Read as the standard deviation
of the angle it is borderline in two dimensions at moderate dispersion (a row of 300 trials is good to about 1
point) and fails everywhere else; in 300 dimensions it never holds, since documents then lie at nearly the
same angle from their mean and the deviation is small while the centroids still scatter.

Read as the root mean square angle it holds up to about 76 degrees and breaks soon after. In many dimensions
arccos K is about sqrt(2) tan(theta) / sqrt(n), which passes 5.16 theta / sqrt(n) at 77 degrees: documents
nearly orthogonal to their mean are out of the bound's reach. Theorem 3 behaves alike under this reading: it
fails for nearby means with one very dispersed side, and holds for distant means, where noise hardly widens
the angle. Noise is isotropic here; that of real documents is not.
"""
