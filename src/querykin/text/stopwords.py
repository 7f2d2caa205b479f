"""Stop words: the lists for each purpose."""

_ENGLISH = """
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
"""
ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())  # they tell nothing of what a text is about
