"""Interpretation of the tables in RESULTS.md, written by hand after the run; to be revised when figures change."""

TABLE1 = """
The paper's ranking of all pairs is not reproduced: the correlation with its K is slightly negative for the
kernel of the paper and weakly positive for web-kernel, and with so few pairs (a standard error of about .2)
neither differs clearly from 0. Leaving out the pairs with a word in common, a subset chosen after seeing scores,
does not change that. The likely reason is that the level of a score depends here on how well the corpus covers
each text: only two documents hold "SVM", and many that hold "AI" are about singers called Ai. The paper's own
set overlap follows its K closely; ours does not.

Within contrasts, where one text is fixed, web-kernel gives the paper's order in 16 of 22 cases with evidence,
the kernel with the plain centroid of 200 results in 11. The paper prints no number of results for its kernel (200 is that of its set overlap, and of
the other papers); with fewer results the kernel is in the paper's order about as often as web-kernel, as the table over n shows. The contrasts
overlap, so they are not an independent sample.

Of web-kernel's six reversals four set a pair against one with a word in common, and that word contributes most of
the score (web page / Larry Page, and the two javas). Larry Page before Eric Schmidt as Google CEO agrees with the
corpus: its articles are of 2015 and 2021 and name Page as chief executive. Ballmer and Gates for
Microsoft CEO is a near tie (.375 and .383).

The question about Lincoln is reversed by every measure: it finds mostly the articles on Lincoln himself, so
its expansion is nearly that of "Abraham Lincoln". The evidence rule is lenient (a mention anywhere in a
document counts, and java programming / Indonesia passes); it was fixed before any score was seen and is left
as it was.
"""

JUDGED = """
By mean AUC the default measure is first on neuqs QR, trec_tasks, patent and dbpedia and second on the other four sets. Of its parts, sentence embeddings (`dense`) come first, static word vectors second and `web-kernel` third on all sets but
completions (neuqs QAC), factoid and dbpedia (there `web-kernel` is second); intervals between these are not printed. Against `jaccard-stems`, `web-kernel` is
better in mean AUC, with intervals that exclude 0, on uqv100, neuqs QR, trec_tasks, patent, bird, factoid and dbpedia; not on
QAC. Its pooled AUC is better on the same sets but trec_tasks, where the interval includes 0. On factoid, where
right answers share a word with the question less often (28 %) than wrong ones (47 %), `pmi` is first in AUC and mean AUC; in mean AUC the default, `dense-prob`
and `web-kernel` come next; intervals between them are not printed here, so no order among them is claimed.

The kernel of the paper, with 200 results as all measures at their defaults but `web-kernel`, `web-relevance` and the language models, is better than stemmed Jaccard on bird and factoid (on dbpedia in pooled AUC only, which is of little value where
queries differ in their share of relevant candidates), worse in mean AUC on neuqs (both kinds) and in
pooled AUC on neuqs QR and patent, and not clearly different on the rest. Over its number of results see the section on n. Language models rank well within a query and badly across queries: sparse-prob
on neuqs QR has mean AUC .881 but AUC .795, since -KL depends on how well the corpus predicts the query at all.
Completions all begin with the query, so shared words carry no information there; measures that only count them fall to .5 and below.

`jaccard-stems` agrees with `labelled/BASELINES.md` to the third digit in AUC and mean AUC, up to .001; P@k and MAP
differ by the random order of ties, and Spearman on factoid because the grade here is the majority's (-.134; by the share of votes it is -.109). `dense` and
`static` agree with its minilm and wordllama to .001. The constants of web-kernel were chosen on uqv100, neuqs and
bird, so its figures there are on development data.
"""

THEOREMS = """
Theorem 1 holds to sampling error, and while the overlap falls to 0 with a growing relevant set, K hardly
moves: the paper's argument for the kernel. Theorem 2 depends on the meaning of sigma. Read as the standard deviation
of the angle it is borderline in two dimensions at moderate dispersion (a row of 300 trials is good to about 1
point) and fails everywhere else; in 300 dimensions it never holds, since documents then lie at nearly the
same angle from their mean and the deviation is small while the centroids still scatter.

Read as the root mean square angle it holds up to about 76 degrees and breaks soon after. In many dimensions and for many results
arccos K is about sqrt(2) tan(theta) / sqrt(n), which passes the bound at 78.7 degrees: it
does not hold for documents nearly orthogonal to their mean. Theorem 3 behaves alike under this reading: it
fails for nearby means with one very dispersed side, and holds for distant means, where noise hardly widens
the angle. Noise is isotropic here; that of real documents is not.
"""

FIGURES = """
The paper's finding holds: the mean grade falls as the threshold does, for both kernels and on both sets, at every step
on neuqs QR, and on trec_tasks at 14 of 16 steps for the kernel of the paper and 15 of 16 for web-kernel. It is steeper for web-kernel: on neuqs QR its mean grade goes from .96 at .85 to .79 at .3 over a mean of
.54 for all, the kernel of the paper's from .84 to .75. The kernel of the paper gives the highest scores to far more suggestions
(37 per query above .85 on trec_tasks, against 17), because two texts with the same 200 results are equal to it
regardless of their other words: "set up an amateur radio newsline" (grade 0) scores 1.00 with "set up an amateur radio".
The number of suggestions is not comparable with the paper's: theirs are the suggestions of one system after a filter,
ours are all judged suggestions, about a hundred per query. Nor are the scales: 1 to 5 there, 0 to 2 and 0 to 1 here.
"""

AGREEMENT = """
The printed kappas follow from the printed Pa and Pe, nearly: the largest difference, .338 against .333, is the difference between a mean of
kappas and the kappa of means. In Alfonseca et al.'s table 2 the quadratic kappa is that of the confusion
matrix to the last digit; the two-class one is not, .6171 printed and .5846 from the same matrix.

One set here has several raters, chorus: three raters of products for queries, on four grades. They agree more than
the paper's raters on grades (kappa .627 against .338) and on relevance (.729 against .435): products are easier than
suggestions, and the middle grades are rarely used. The paper's order of the kinds does not hold: there two-way preference
(.473) is highest and four classes lowest; here relevance is highest and "better or equal, worse" lowest, because two
products of one query mostly get the same grade, which lifts chance agreement to .79. Two-way figures
depend on which candidate comes first (here: the order of the file).
"""

TABLE2 = """
Which orderings hold at equal numbers of results is in the tables above, and with causes in [WHAT_REPRODUCES.md](WHAT_REPRODUCES.md); measures that are not over search results
keep their defaults. Overlap is the worst surface measure at rank 3 on both sets, and on neuqs QR at every rank and in AUC. Dice and Jaccard rank alike, as they must. In AUC web-relevance is above every measure of shared words
on neuqs QR, as in the paper; on trec_tasks no difference in AUC has an interval that excludes 0.

KL above surface measures at ranks 3 and 5 does not hold. Two likely reasons can be seen in the lists. First, the corpus:
an encyclopedia contains much about radios and little about setting one up, so KL prefers the topic alone ("amateur radio" for "set up
an amateur radio", "sore throat caused" for "home remedies sore throat"). Second, the candidates: two thirds share a
word with the query, and of those 80 % are relevant on trec_tasks and 75 % on neuqs QR (of the others 48 and 12 %), so plain
overlap has a P@1 above .8, where the paper has .7 and less.

Coverage of surface measures is the paper's (64 and 67 % against 64.7); that of expansions is 99 %, theirs 80 to 83,
because the search engine here returns something for nearly every text.
"""

FIGURE2 = """
The paper's figure has no numbers; its orderings are taken from its text. What holds: Backoff is above Stemming
everywhere; probabilistic methods are above Lexical when Good counts too, and in the search of a pool; Backoff above
DenseProb shows no clear difference: exact matches are few (47 in 6,381 pairs), so the difference is .012 for Excellent alone and .001 and less elsewhere.

What does not: for Excellent alone the paper has Lexical above the probabilistic methods; here it is far below (reversed, intervals exclude 0). Its
Excellent matches were mostly the query itself or a part of it, while suggestions are longer than the query: a
candidate with one more word is never a lexical match, and Lexical returns three candidates of 132. Only at recall 0,
and when Good counts, does it come near. Stemming does not differ clearly from Lexical. Backoff is reversed with SparseProb in the
pool (-.051). A likely reason: most variations of a need share words, so that the query's own words are more informative than the 20
most likely words of encyclopedia articles, which are all that DenseProb, and Backoff with it, uses.
"""

TABLE4 = """
The paper's ordering, Backoff above Lexical at every k, holds in direction where one need's variations are searched for: for every k
the mean over queries is higher, over all k by .034 [.005, .066]; of the single k only 2 and 5 have intervals that exclude
0, since variations of one need are not independent queries. On trec_tasks it holds for highly relevant suggestions
over all k (+.087 [.026, .168]; no single k has ten queries with one) and shows no clear difference when relevant ones count too.

The level differs: precision is above .87 where the paper has .27 to .75, and it does not fall with k. A query is not searched for
itself here, and its parts usually express the same need: a long variation without one of its words still has the same meaning. The
paper's candidates were popular queries of a search log, 363,822 of them, judged by one assessor.
"""

OWN_CORPUS = """
With the catalogue web-kernel, result-cosine (in short form) and sparse-prob come out higher and dense-prob lower, but 86 queries, 55
of them with both classes, are few: only two of the 28 intervals exclude 0, sparse-prob's AUC without attributes (+.111) and
dense-prob's loss with them (-.108). So no gain of web-kernel from the catalogue is claimed: +.021 in AUC with all
attributes, +.062 [-.006, .127] without. The default measure is the same with either corpus.

Whether the attributes are part of a document matters as much as the corpus does. They are a hundred names of features of a laptop
or printer that all products of a kind share, so that expansions of different products become alike. The short form was tried after
the long one had been seen, so its advantage is that of the better of two variants. Surface measures reach .78 to .80 here and `dense`
.856: product titles are long and contain the words of good queries.
"""

MEANS = """
The printed means are the cube roots of the products, with one exception: 1, 28 and 2 give 3.83, and the printed 8.24257 is the cube root of 560. Two
others are truncated instead of rounded in the last place. Our corpus holds none of the words the paper shows; the contexts of all three words are mostly
function words, and among the strongest associations *acetic*, *acid*, *bacteria* and *fermentation* are relevant: the query is about acid-fast
bacteria, the contexts about bacteria that make acid. In this corpus the three occur together too rarely for a conclusion.
"""

TWEAK = """
All figures of TWEAK come from models trained without the pair's query, and the baseline, tfidf, has the same results as TWEAK. *As printed* is the paper's learner: every pair counts once,
the penalty is alpha/2 |w|^2, a preference is the plain difference of two cosines. Ours counts every query once, penalizes the distance from the initial
weights and scales preferences (decisions 20 and 25). The frequencies of words in past queries are a feature in both, as in the paper.

The selection matters for the interpretation. About ten changes of our learner were tried on these three sets, trec_tasks first, and those adopted (decision 25) raised mean AUC of `plain` on
all three or left it; the printed learner was not tuned. So figures of ours are on development data.

The paper's gain of .043 to .050 in AUC over tfidf is not there at equal results. As printed, `sse` and `log` show no clear difference from tfidf in AUC on any set; their MAP is a little higher on neuqs QR (+.010), that of `log` on patent too (+.009). The
printed preference loss is below tfidf on neuqs QR and patent: a difference of two cosines lies between -1 and 1, where log(1 + exp(-D)) is nearly a straight line, so that preferences which are already right pull as strongly as wrong ones. Ours
scales differences, and is above it in mean AUC on neuqs QR. Fewer results are worth as much as learning: tfidf over 30 results is above tfidf over 200 by .036 on neuqs QR and .035 on patent.

A larger gain comes from separate weights for the text's own words (`more`): with the preference loss it is above tfidf in mean AUC on all three sets, with intervals that exclude 0. That is about what `web-kernel` has, whose constants were chosen by hand.

AUC compares scores of ten models with each other, which the losses do not make comparable; mean AUC does not. `preference` is the default because a suggestion is ranked within its query.

`more` was chosen by held-out groups of neuqs QR, so its figures there are those of the best of a few sets of features. The
shipped weights were trained on at most 100 groups of each of neuqs QR, trec_tasks, uqv100, bird and patent: on those sets `tweak` is evaluated partly on its
training pairs.
"""

PAGES = """
TFIDF has the same results as the learned weights. Which parts of the paper's order HTML > plain text > TF&DF > TFIDF hold is in [WHAT_REPRODUCES.md](WHAT_REPRODUCES.md). TF&DF falls short for a reason that the data show: one
sum of log tf and log df must weigh both the results of a query, thousands of words long, and a page of a few dozen words, most of which occur once; it cannot
multiply the two as TFIDF does, and it cannot distinguish the two kinds of text. Plain text can, by the length
of the text. The paper's pages were whole web pages, closer to its results in length.

The learner was tuned on suggestions, not on pages (decision 25), at some cost for pages. Addresses, links and meta-keywords do not occur in this data, so HTML means the title and the description only.
The log loss is the default for pages since one threshold serves all queries. With 86 queries, 55 of them with both classes, small differences are not meaningful. The default measure, which learned nothing from products, is above all of them
with either corpus (AUC .847 and .858). The shipped
weights were trained on all these pairs.
"""

COOCCURRENCE = """
The paper's order, n-grams above unigrams above the web kernel, is reproduced in part, on one set of three.

*Against the kernel of the paper.* On neuqs QR both are above it as in the paper: in mAP and P@5 with intervals that exclude 0, unigrams in P@1 too; AUC-PR is higher by .03 and .04
without an interval, AUC does not differ clearly. On uqv100 both are below it in AUC and mAP, clearly; their P@1, 3 and 5 are higher, but the intervals do not confirm it.
On bird both are below it in AUC, mAP and P@5, clearly. Against `web-kernel`, which was adapted to this corpus, both are below in AUC and mAP on all three sets, clearly.

*Does chunking help?* No: of the fifteen differences between n-grams and unigrams none has an interval that excludes 0. On neuqs QR chunking is lower in all figures but P@1,
which is the same; on bird it is .008 higher in P@3.

*Why not.* The tables show three causes. Most listed phrases are titles, and three quarters of them have fewer than about five occurrences in 39.5 million words, where the paper
counts hundreds of billions: a phrase is found in 7 % of the texts of bird, 25 % of neuqs QR and 39 % of uqv100. Where one is found, contexts are lost, not gained: a phrase is rarer
than its words, and texts of five and six words have 64 contexts instead of 128 on uqv100. And a geometric mean is 0 as soon as one word never occurs with a context: from 883 to 1,440
contexts of a single word (medians) 114 to 147 are left of four, and nine tenths of those are among the thousand commonest words, which carry little information.

*Weighting.* Chi-square grows with the counts, so a few contexts dominate: ten account for .93 to .97 of a row's squared length, under npmi .11 to .27. Npmi is above it in AUC by
.185, .045 and .094 (unigrams), with intervals that exclude 0, for n-grams alike, and in mAP too except n-grams on bird. Whether rows are truncated at 400 contexts or not makes
no difference under chi-square, .003 at most. Smoothing by .01 does not differ clearly from none on bird, whose texts have one or two words, and costs .06 to .19 of AUC on the other two,
clearly; more smoothing is worse on all three (`reproduce/STUDIES.md`).

*What else comes from the same counts.* On uqv100 and bird `latent` is the best without a search, in AUC and mAP above unigrams with intervals that exclude 0. On neuqs QR only
its AUC is the highest (.855); in P@1, 3 and 5, mAP and AUC-PR the unigrams have higher figures, and no difference is clear. It is above the kernel of the paper in mAP on uqv100 and
neuqs QR and in AUC on neuqs QR, clearly.
"""

POOL = """
Every measure finds more than `jaccard-stems`, in MAP and in recall at 10, 100 and 1000, with intervals that exclude 0;
intervals between the others are not printed. Weighing words by their rarity (`idf-cosine`) accounts for most of the difference in
MAP (.115 where web-kernel gains .139): for Jaccard a shared *the* counts as much as a shared name. At depth 1000
`web-kernel` leaves more of a need's variations unfound than `dense`, and fewer than `static`, `idf-cosine` and `jaccard-stems`. The first result is relevant nine times out of ten for all measures: a need has 19 to 101 variations, some of them nearly the
query itself; for the same reason recall at 10 cannot be high. Web queries that express a need but were never judged count as not relevant,
so figures are lower bounds.
"""

KEYWORDS = """
Words of gold phrases are gold words for all methods; YAKE's phrases are split into words in the order it gives them, and for
single words it is limited to single words. None of the three sets was used to train or select weights, but they were considered
when features were selected, so they are not untouched.

On words the extractor is above YAKE in precision at 10 on semeval2017 and www, with intervals that exclude 0, and not clearly
different from its single words on kdd. It is above tf idf on all three. On whole phrases it is far above YAKE on semeval2017, whose gold are
long noun phrases; on www and kdd it is above YAKE's phrases of up to three words and not clearly different from those of up to two. Many of
the authors' keywords there do not occur in the abstract at all.

The frequency of a word and its first position contribute most. Document frequency adds .005, query frequency .002 on average, and an extractor in
an empty workspace is nearly as good (on kdd better): stop words are removed by a list, and abstracts have few other words that
are common everywhere. Expecting query frequencies when there are none does cost; hence separate weights for each
case. The title feature costs a little on these sets, where titles are not marked; it is kept for pages, which have titles.
"""

RELEVANCE = """
The settings have little effect: between 10 and 50 results, and between rows of 49 and 799 terms, the mean AUC hardly changes. 20 results
and .8 of the squared length have the best mean by a small margin, with rows about as long as web-kernel's.

These are comparisons at the defaults; at equal numbers of results web-relevance and the kernel of the paper show no clear difference at 20, as the section on equal numbers shows. At their defaults, 20 results and 200, web-relevance is above the kernel of the paper in AUC and mean AUC on uqv100, neuqs QR and patent with
intervals that exclude 0, not clearly different on bird and trec_tasks. It is above the language model (dense-prob) in AUC on uqv100, bird
and patent, in mean AUC on all but bird. `web-kernel`, whose constants were chosen on three of these sets, is above it in mean AUC on all five, with intervals that exclude 0 except on uqv100. The settings above were chosen
on all of uqv100, bird and neuqs QR; trec_tasks and patent were not used. The extractor of the paper was trained on web pages, ours on news and abstracts.
"""

LEARNED = """
All figures of combinations come from models trained without the pair's query. "Unconstrained" is closer to the paper's learner: weights of any sign and
one prior for all features; the section before has it as printed, with its eight measures. Ours constrains the weights of measures to be non-negative, regularizes other features more strongly unless held-out queries
support them, and weights all queries equally (decisions 21 and 25). Over a hundred variants were examined on these sets;
the choice among the last four followed a rule fixed beforehand, on other folds of the same queries. Whole-set AUC of preference
learning compares scores of ten models with each other and is of little value; mean AUC is the relevant metric.

The paper's ordering, both kinds of learning above every single measure, holds in the point estimates on all three sets when embeddings are included. It is
clear on patent only: +.007 [.002, .012] and +.007 [.004, .011] over `dense`. On neuqs QR both kinds are at .932 against .930, with intervals that
just include 0; on trec_tasks (both .809 against .807) they do not differ clearly from `dense`. Without embeddings learning
adds .028 to `web-kernel` on patent, .005 and .003 on neuqs QR (not clearly) and nothing clear on trec_tasks: +.005, and +.000 for metric
learning, so there the ordering does not hold. Those 46 queries, judged unevenly, are few for thirty measures: the unconstrained metric learner loses
to `dense` with an interval that excludes 0 (-.030), trees with the metric loss too (-.023). Preference and metric learning perform equally in mean AUC. The default measure, whose few constants were
fitted on these sets among others, is about as good as the combinations (.931, .810 and .839).

The gain of a corpus over surface measures is clear on five of seven sets (not on trec_tasks and chorus). To surface + `static`:
answers (factoid +.043 [.008, .078]), entities (dbpedia +.023) and patent (+.011). To surface + `dense`: entities +.007 [.003, .012] and patent +.004
[.001, .007]; on general queries nothing, on trec_tasks and bird a little less, not clearly. On answers +.028 has an interval that includes 0: 300 questions are too few for a conclusion. The catalogue as the corpus of chorus shows
no clear gain (55 queries; -.018 to +.024).
"""
