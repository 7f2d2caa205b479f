"""Query stop words: articles, frequent prepositions, conjunctions and "is" of each language.

The lists are short, because pronouns, adverbs and "without" do change what a query asks for.
"""

from collections.abc import Mapping

QUERY_STOP_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "af": "die 'n in van vir en of met op aan by na uit is wat te",
        "ar": "في من على إلى عن مع و أو ال هو هي ما",
        "bg": "в във на за от с със и или до по при е са какво",
        "bs": "u na za od do s sa i ili iz po o je su šta",
        "ca": "el la els les l un una uns unes de del dels d a al als en amb per i o és què",
        "cs": "v ve na z ze s se do od po pro k ke u o i a nebo je jsou co",
        "cy": "y yr a ac i o yn ar am gan neu yw beth",
        "da": "en et den det de i på til af for fra med ved og eller er hvad",
        "de": "der die das den dem des ein eine einen einem einer eines und oder in im ins an am auf aus bei "
        "beim für mit nach von vom zu zum zur ist was",
        "el": "ο η το οι τα του της των τον την στο στη στην στον στα σε με για από "
        "και ή είναι τι ένα μια ένας",
        "en": "a an and at by for from in is of on or s the to what with",
        "eo": "la de en al el por kun je da kaj aŭ estas kio",
        "es": "el la los las un una unos unas de del a al en con por para y e o u es qué que",
        "et": "ja või on mis ning",
        "eu": "eta edo da bat ba zer",
        "fa": "و یا در به از با را برای که این است",
        "fi": "ja tai on mikä",
        "fr": "le la les l un une des de du d à a au aux en dans par pour sur avec chez "
        "et ou est qu que quoi",
        "ga": "an na agus nó i in ar le do de ó ag is cad",
        "gl": "o a os as un unha uns unhas de do da dos das en no na nos nas con por para e ou é que",
        "he": "של את על אל עם או ה ב ל מ ו זה הוא היא מה",
        "hi": "का की के में से पर को और या है हैं क्या ने",
        "hr": "u na za od do s sa i ili iz po o je su što",
        "hu": "a az egy és vagy van mi ban ben",
        "hy": "և ու կամ է են մեջ համար ինչ",
        "id": "di ke dari yang dan atau untuk dengan pada adalah apa",
        "is": "í á og eða er til frá með fyrir af að hvað",
        "it": "il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla "
        "ai agli alle da dal dalla dai in nel nella nei con su sul sulla per e ed o è che",
        "ja": "の に を は が と で も へ や",
        "ko": "및 또는 의 를 을 은 는 이 가 에",
        "lt": "ir ar į iš su už prie nuo iki yra kas",
        "lv": "un vai ar no uz pie par ir kas",
        "mk": "во на за од до со и или е се што",
        "ms": "di ke dari yang dan atau untuk dengan pada ialah adalah apa",
        "ne": "र वा को का की मा ले लाई बाट छ के",
        "nl": "de het een in op aan van voor met bij uit naar te tot en of is wat",
        "no": "en ei et den det de i på til av for fra med ved og eller er hva",
        "pl": "w we na z ze do od po dla u o i oraz lub jest są co",
        "pt": "o a os as um uma uns umas de do da dos das d a à ao aos às em no na nos nas num numa com por "
        "pelo pela para e ou é que",
        "ro": "un o unui unei al a ai ale de la în din cu pe pentru și sau este ce",
        "ru": "в во на за из с со к ко от до по для у о об и или это что",
        "sk": "v vo na z zo s so do od po pre k ku u o i a alebo je sú čo",
        "sl": "v na za iz z s k h od do po pri o in ali je so kaj",
        "sq": "i e të së një në me për nga dhe ose është çfarë",
        "sr": "у на за од до с са и или из по о је су шта u na za od do s sa i ili iz po o je su šta",
        "st": "le ka ya wa tsa ba ho ke mo ha eng",
        "sv": "en ett den det de i på till av för från med vid och eller är vad",
        "sw": "na ya wa la za cha kwa katika ni au nini",
        "ta": "ஒரு மற்றும் அல்லது இது என்ன",
        "th": "ที่ และ ของ ใน เป็น กับ หรือ",
        "tr": "ve veya ile için bir de da mi mı ne",
        "uk": "в у на за із з зі до від по для о об і й та або є це що",
        "ur": "کا کی کے میں سے پر کو اور یا ہے ہیں کیا نے",
        "vi": "và hoặc của ở trong cho với là từ các những một gì",
        "yi": "דער די דאס א אן פון אין אויף מיט צו און אדער איז וואס",
        "zh": "的 了 和 与 與 在 是 或",
    }.items()
}
