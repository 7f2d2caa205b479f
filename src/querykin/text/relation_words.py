"""Query stop words that say how two things are related or ask for something: to, from, with, or, what.

"cm to inch" is not "inch to cm", "coffee with milk" is no "milk coffee". The other query stop words can be
left out, or be written for one another, without a change of what a query asks for.
"""

from collections.abc import Mapping

RELATION_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "af": "met na uit of wat te",
        "ar": "من إلى عن مع أو ما",
        "bg": "от с със или до какво",
        "bs": "od do s sa ili iz šta",
        "ca": "a al als amb o què",
        "cs": "z ze s se do od k ke nebo co",
        "cy": "i o gan neu beth",
        "da": "til fra med eller hvad",
        "de": "oder aus mit nach von vom zu zum zur was",
        "el": "σε με από ή τι στο στη στην στον στα",
        "en": "from or to what with",
        "eo": "al el kun aŭ kio",
        "es": "a al con o u qué que",
        "et": "või mis",
        "eu": "edo zer",
        "fa": "یا به از با که",
        "fi": "tai mikä",
        "fr": "à a au aux avec ou qu que quoi",
        "ga": "nó le do ó cad",
        "gl": "a con ou que",
        "he": "אל עם או ל מ מה",
        "hi": "से को या क्या",
        "hr": "od do s sa ili iz što",
        "hu": "vagy mi",
        "hy": "կամ ինչ",
        "id": "ke dari atau dengan apa",
        "is": "eða til frá með að hvað",
        "it": "a al allo alla ai agli alle da dal dalla dai con o che",
        "ja": "に と へ",
        "ko": "또는 에",
        "lt": "ar į iš su nuo iki kas",
        "lv": "vai ar no uz kas",
        "mk": "од до со или што",
        "ms": "ke dari atau dengan apa",
        "ne": "वा लाई बाट के",
        "nl": "met uit naar te tot of wat",
        "no": "til fra med eller hva",
        "pl": "z ze do od lub co",
        "pt": "a à ao aos às com ou que",
        "ro": "la din cu sau ce",
        "ru": "из с со к ко от до или что",
        "sk": "z zo s so do od k ku alebo čo",
        "sl": "iz z s k h od do ali kaj",
        "sq": "me nga ose çfarë",
        "sr": "од до с са или из шта od do s sa ili iz šta",
        "st": "le ho eng",
        "sv": "till från med eller vad",
        "sw": "kwa au nini",
        "ta": "அல்லது என்ன",
        "th": "กับ หรือ",
        "tr": "veya ile ne",
        "uk": "із з зі до від або що",
        "ur": "سے کو یا کیا",
        "vi": "hoặc với từ gì cho",
        "yi": "פון מיט צו אדער וואס",
        "zh": "与 與 和 或",
    }.items()
}
