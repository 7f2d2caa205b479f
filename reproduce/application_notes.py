"""Interpretation of the tables on equal settings, learning as printed and applications, written by hand after the run."""

DEPTH = """
The number of results decides how good the paper's kernel looks. With 5 to 100 of them it has the paper's order in 16 to 18 of 22
contrasts, with 200 in 11 of 22, where `web-kernel` has 15 of 22. On all four sets AUC falls from 20 results to 200: uqv100 from
.963 to .931, neuqs QR from .867 to .831, and on trec_tasks and bird as well. The corpus is the likely reason: an encyclopedia has a few documents about a subject and the web hundreds,
so most of 200 results are about something else, and the plain centroid weighs them like the first. `web-kernel` weighs results by relevance and hardly depends on n.
The contrasts overlap, and the intervals between rows are not printed.

The paper checked its set overlap with 500 and 1,000 results, where it behaved as with 200. Here the contrasts agree (12 of 22 and 13 of 22), while on uqv100 and neuqs QR AUC falls with n
(.942 to .920, .852 to .830).
"""

EQUAL = """
At equal numbers of results the paper's order, web-relevance above KL divergence above the kernel, holds in its first part only. Web-relevance is above KL in AUC with intervals that exclude
0 on uqv100 and patent at both numbers of results and on neuqs QR at 200; on trec_tasks the intervals are wide. KL is not above the kernel anywhere: it is below it on uqv100 and patent
at 30 and at 200, and there is no clear difference on the other two sets.

Web-relevance and the kernel show no clear difference in AUC at 20 results on any set; at 200 web-relevance is above on all but trec_tasks. It weighs words of one document made of all results, where words of
a few unrelated results weigh little; the kernel's plain mean does not forgive results that are about something else. So the paper's order between the two depends on how many of the results fit, which
grows with the corpus.
"""

PRINTED_LEARNING = """
Metric learning with the eight measures and their ranks is above web-relevance in AUC on neuqs QR (.897 against .876) and patent (.805 against .756), as in the paper, and not on trec_tasks (.716 and .718), where its first suggestion is worse (P@1 .890 against .960).

Preference learning by votes, as printed, is below web-relevance in AUC over all pairs on neuqs QR and patent. The cause is the length of the lists: a vote is a sum over rivals, and our lists have 21 to 218 candidates
(neuqs QR), so that a bad candidate of a long list gets more votes than a good one of a short list. The votes order a query's candidates exactly as the weighted sums before them do, and these are above web-relevance in AUC on neuqs QR
(.897) and patent (.786). Within queries (mean AUC) preference learning is above web-relevance on trec_tasks and patent with intervals that exclude 0, on neuqs QR without; it is about equal to metric learning on all three.
"""

SHORT_SNIPPETS = """
Short snippets make little difference to the paper's kernel: windows of 160 characters are a little better than those of 1,000 on neuqs QR in AUC (.839 against .831) with no clear difference elsewhere. `web-kernel` loses on uqv100 in AUC
(.967 against .972) and on bird in mAP. So the short snippets of Alfonseca et al. do not explain how low the kernel is in their table; what is missing here is the size of their corpus for contexts of phrases.
"""

SIMILARITY = """
Spearman's correlation with the grades of people; `pmi` is left out for sentences. The default measure is highest on seven of the eleven sets of words and phrases and on both parts of STS (.814 and .872, sentence embeddings .810 and .867); intervals are not printed, some of the
sets have 30 to 65 pairs, and the constants of the default were chosen with STS among other sets ([HYBRID.md](HYBRID.md) has figures held out). Without embeddings the results of two single words tell relatedness (.567 on wordsim353-rel,
.696 on men by `web-kernel`) and hardly similarity in the strict sense: on simlex999, where *coast* and *shore* are similar and *clothes* and *closet* are not, `web-kernel` has .160. Rare words (rw) are rare in the corpus too.
"""

TOPICS = """
In a support vector machine the scores of every measure with a corpus are far better kernels than weighted words in common: with 5 snippets a topic .596 by `web-kernel` and .667 by the kernel of the paper against .349 by
`idf-cosine`, with 80 .806 and .780 against .715. Two snippets of a topic mostly share no word, and their results do. Word vectors and sentence embeddings are better still, and the default measure, which joins the three, is best at every size:
.729, .849 and .897. Clusters have the same order. Nothing was tuned on the snippets; C is the default for all.
"""

ANSWERS = """
A control with no similarity at all ("no word of the question") has a mean AUC of .583, which no measure alone exceeds: wrong candidates of this set were often taken from sentences that repeat the question's words. What carries the answer is whether the
candidate's words stand in documents that the question finds: .655 alone, +.072 [.033, .112] over the control. It adds to every measure, also where the control is a feature already: +.049 [.017, .078] to `dense`, +.034 [.003, .063] to `web-kernel`.
Similarity adds little to the feature when the control is absent (.648 with `dense`, .662 with `web-kernel`); all three together are best (.717 with the default measure, .710 with `dense`).
"""

ACRONYMS = """
The acronyms are those of computer science papers, and the corpus is two encyclopedias: most of the papers' acronyms do not occur with their expansion, so that the web kernel is only a little above chance (.563 and .557 in mean AUC). Word vectors are at
.786, sentence embeddings at .676. The letters settle the task (.997). So the acronyms of the paper's table 1, which are known everywhere, say little about acronyms in general.
"""

POPULAR = """
Nobody rates suggestions here, so the tables say how many there are and how close, not how good. All measures find five for every query; with the paper's filter and a score of .85 and more the kernel of the paper leaves 1.51 a query, `web-kernel` .14, at .5 they leave
3.31 and 1.04. That is a matter of the scale, not of quality: the examples show what the paper's kernel holds to be close (*Paul Walker* and *trays for walkers*), because the plain centroids of 200 results that share one name are alike. The paper had
116 million past queries, here are 100,648, most of them without the people and events of these lists, so that for many of them nothing close exists. The rule of the paper leaves fewer close suggestions than `diverse` does (2.54 against 3.21 of score .7 and more), since it removes more of the variants of a query.
"""

ADVERTISING = """
Of the pairs of product and query that people judged, the good ones are nearly all proposed once three queries are taken for each phrase (.983 by the default measure, .991 by `web-kernel`, .900 by shared stems), and with one query the share of good ones among the proposed
rises from .461 to .562. The filter does more: it keeps .950 of the good pairs and raises their share to .637. Both steps together: .662 and .874 with one query a phrase. There are only 86 past queries here, all of them about products of
this catalogue, so proposals from a log of all subjects would be harder.
"""
