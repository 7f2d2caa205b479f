"""Stop words of each language: one list for each purpose.

The English lists are our own. Other languages have a short list of our own for queries, and for the other
purposes the lists of stopwords-iso, which are long and also have numerals and frequent verbs.
"""

from functools import cache

from querykin.text.query_stopwords import QUERY_STOP_WORDS

# Function words, which carry no topic: language models and keyword extraction ignore them.
ENGLISH_STOP_WORDS = frozenset(
    """
    a an the this that these those some any each every all both either neither such no none other another
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
    who whom whose which what when where why how there here
    am is are was were be been being do does did done doing has have had having will would shall should
    can could may might must
    and or but nor so yet if then than as because while although though whether since until unless
    of in on at by for with from to into onto upon over under between among through during before after
    about against within without above below across along around near off out up down
    not only also very more most much many few less least own same just too even still again once ever
    s t d ll re ve
    """.split()  # noqa: SIM905
)

# Words at which a mined phrase neither begins nor ends; inside ("bank of england") they are allowed. Besides
# function words: numerals, frequent verbs and nouns that complete a sentence rather than a name.
ENGLISH_PHRASE_BOUNDARY_WORDS = frozenset(
    """
    a about above after again against all also although always am among an and another any are around as at
    back be became because become been before began being between both but by called came can cannot
    could did do does done down during each early either end even ever every few first for four found
    from further gave get go had has have he her here hers him his how however i if in including into is
    it its itself just know known last later least less like made main make many may me might more most
    much must my named near never new next no nor not now of off often old on once one only onto or
    other others our out over own part per place quite rather said same second see several shall she
    should since so some something sometimes soon still such take taken than that the their them then
    there these they third this those three through thus time to together too two under until up upon us
    use used using usually various very was way we well went were what when where which while who whole
    whom whose why will with within without would year years yet you your won died born aged
    """.split()  # noqa: SIM905
)


def query_stop_words(language: str) -> frozenset[str]:
    """Words that make no difference between two queries, in a language given by its code.

    >>> sorted(query_stop_words("nl"))[:4]
    ['aan', 'bij', 'de', 'een']
    """
    return QUERY_STOP_WORDS.get(language, frozenset())


def function_words(language: str) -> frozenset[str]:
    """Words that carry no topic, in a language given by its code."""
    return ENGLISH_STOP_WORDS if language == "en" else _frequent_words(language)


def phrase_boundary_words(language: str) -> frozenset[str]:
    """Words at which a mined phrase neither begins nor ends, in a language given by its code."""
    return ENGLISH_PHRASE_BOUNDARY_WORDS if language == "en" else _frequent_words(language)


@cache
def _frequent_words(language: str) -> frozenset[str]:
    import stopwordsiso  # reads the lists of all languages at once; an English corpus needs none

    listed = stopwordsiso.stopwords(language) if stopwordsiso.has_lang(language) else set()
    return query_stop_words(language) | {word.lower() for word in listed}
