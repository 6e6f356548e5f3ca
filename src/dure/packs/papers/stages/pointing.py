"""What a message points to, read without a model: a place in a list, papers or an answer of a moment ago, a text that
it brings along."""

import re

_NUMBERS = {
    word: number
    for words in (
        "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열",
        "첫 둘 셋 넷",
        "하나",
        "one two three four five six seven eight nine ten",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
    )
    for number, word in enumerate(words.split(), 1)
}
_KO = r"한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|\d{1,2}"
_EN = r"one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}"
_THING = r"(?:논문|것|거|걸|건|게|편|연구(?![가-힣]*[실자소원진팀비]))"
_PLACE = re.compile(
    # A step or a figure has its place in a paper; "두 번째로" ranks.
    rf"(?<![가-힣\d])(첫|둘|셋|넷|{_KO})\s?(?:번\s?)?째(?!\s?(?:로|실험|단계|층|장|절|문단|문장|단락|줄|그림|표|수식|질문))"
    r"|(?<![가-힣])(첫)\s(?=논문)"
    r"|(?<!\d)(\d{1,2})\s?번(?=\s?(?:논문|거|것|걸|[을를은는과와만의,?]|하고|이랑|비교|요약|정리|설명|$))"
    r"|(?<!\d)(\d{1,2})(?=\s?(?:,|와|과|하고|이랑)\s?\d{1,2}\s?번)"
    r"|\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,2}(?=st|nd|rd|th))(?:st|nd|rd|th)?\b"
    # "The first paper on dropout" stands in no list.
    r"(?=\s+(?:one|papers?|works?|study|article|result|item|entry)\b"
    r"(?!\s+(?:on|about|to|that|which|by|with|using|for|of(?! (?:them|these|those))|in(?!\s(?:short|brief|detail)"
    r"|\s(?:the|that|this|your) list)))"
    r"|\s+(?:and|or|vs|versus|with|please|briefly|in (?:short|brief|detail)|of (?:them|these|those))\b"
    r"|\s*(?:[.?!,;]|$))"
    r"|(?:\b(?:paper|number|no\.)\s|#)(\d{1,2})\b",
    re.IGNORECASE,
)
_PLACE_OF = re.compile(rf"(?:{_PLACE.pattern})(?:\s?(?:{_THING}|one\b|papers?\b|works?\b))?", re.IGNORECASE)
_FIRST_FEW = re.compile(
    rf"(?<![가-힣])(?:첫|처음|앞|위)(?:의|에서)?\s?({_KO})\s?(?:편|개|논문)|\bfirst\s+({_EN})\b(?!\s+(?:years|words|sentences))",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"마지막\s?(?:번째\s?)?{_THING}|\blast (?:one|paper|study)\b(?!\s+(?:on|about|that|by|from))", re.IGNORECASE
)
_TOLD = (
    r"(?:그|이|두|세|네|나온|나왔던|찾은|찾아\s?준|말한|언급한|언급된|본|소개한|소개된|소개해\s?준|추천한|추천해\s?준|검색한|검색된|보여\s?준|알려\s?준"
    r"|얘기한|요약한|요약해\s?준|있는|목록의?|목록에|답의?|답변의?|답에)"
)
_THESE = re.compile(
    rf"(?<![가-힣])(?:이|그|저)\s?(?:두|세|네|다섯)?\s?{_THING}"
    rf"|(?<![가-힣])(?:방금|앞서?|아까|위)(?:의|에|에서)?\s?(?:{_TOLD}\s){{0,3}}{_THING}"
    rf"|(?:^|[.!?]\s|(?<![가-힣])(?:그럼|그러면|이제|이번엔?|자)\s)\s*(?:두|세|네|다섯)\s(?:논문|편)"
    r"|\b(?:these|those)\b(?=\W*$|[,.?!;:]|\s(?:two|three|four|five|papers|works|ones|studies|articles|have|differ|are|say"
    r"|for|in|and|with|please|briefly)\b)"
    r"|\bboth(?=\s(?:papers|works|ones|of)\b|\W*$|[,.?!])"
    r"|\b(?:that|this) (?:paper|one|work|study|article)\b"
    # Behind other words it is what these speak of: "find news and summarise it".
    r"|\A\W*(?:(?:please|now|then|so|ok|okay|and|can you|could you)\W+)*"
    r"(?:summari[sz]e|explain|describe|sum up|compare) (?:it|this|that|them)\b"
    r"(?!\s(?!in|for|with|to|and|briefly|please)\w)",
    re.IGNORECASE,
)
_SOUGHT = re.compile(
    r"찾(?:아(?!\s?[준주])|고)|검색(?:해(?!\s?준)|하[고여])|골라|고르고"
    r"|\b(?:search|find|look (?:up|for|at)|browse)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"논문들|연구들|그것들|이것들|모두|전부|각각"
    r"|\b(?:papers|works|ones|them|these|those|both|each|all(?! (?:the|its)))\b",
    re.IGNORECASE,
)
_COMPARE = re.compile(r"비교|차이|다른\s?점|다른지|\bcompar|\bdiffer|\bversus\b|\bvs\b", re.IGNORECASE)
_COUNT = re.compile(
    rf"(?<![가-힣\d])({_KO})\s?편"
    rf"|(?<![가-힣\d])(두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s(?:논문|연구)(?!들)"
    rf"|(?<![가-힣\d])({_KO})\s?개의?\s(?:\S{{1,10}}\s)?(?:논문|연구)"
    rf"|논문(?:을|은)?\s(?:({_KO})\s?(?:개|건)|(하나|둘|셋|넷|다섯|열)(?![가-힣]))"
    rf"|[것거]\s({_KO})\s?개"
    rf"|\b({_EN})\s+(?:(?!of\b|or\b|and\b|years?\b)[a-z][a-z-]*\s+){{0,3}}?(?:papers?|works|studies|articles)\b",
    re.IGNORECASE,
)
_PAPER = re.compile(r"논문|연구|\b(?:papers?|stud(?:y|ies))\b", re.IGNORECASE)
_ANSWER = re.compile(
    r"(?<![가-힣])(?:방금|앞|위|아까|지금|마지막|이전|그|이)(?:의|에|에서)?\s?(?:(?:준|한|말한|나온|네가|너의|설명한|답한)\s){0,2}"
    r"(?:답변?|대답|설명|내용|결과|글|말|이야기|얘기|응답)(?:만|까지)?(?=[을를은는이가도의,.?!]|에서|으로|\s|$)"
    r"|\b(?:your|that|this|the (?:last|previous))\s+(?:(?:last|previous|own)\s+)?"
    r"(?:answer|explanation|reply|response|text|definition|message|result)s?\b"
    r"|\bthe above\b|\bwhat you (?:just )?(?:said|wrote|told)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\W*(?:(?:더|좀|다시|한번|아주|짧게|간단히|간단하게|쉽게|핵심만|(?:한|두|세|네|다섯|\d)\s?(?:문장|줄|단락)[가-힣]*)\s)*(?:요약|정리)[가-힣]*"
    r"(?:\s[가-힣]{1,4})?\W*"
    r"|\W*(?:please\s)?(?:summari[sz]e|sum (?:it|that|this) up|sum up|tl;?dr)"
    r"(?:\s(?:it|that|this|briefly|please|again|in (?:one|two|three|a few) (?:sentences?|lines?|words)))*\W*",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"(?<![가-힣])(?:다음|아래|이)\s?(?:글|문단|텍스트|초록|내용|문장)"
    r"|\b(?:following|this|the) (?:text|abstract|paragraph)(?: below)?\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r"(?<!\d)[:：](?!//)|\n")
_LONG = 300
"""Characters from which on what stands apart from the request is a text of its own."""
_LEAST = 10
"""Characters behind a colon of a message that says that it brings a text."""
_SHORT = 40
"""Characters of a message that says so, and does without a colon."""


def places(message: str) -> list[int]:
    """The places in a list that a message points to, from 1; -1 is the last one."""
    if few := _FIRST_FEW.search(message):
        return list(range(1, _number(few) + 1))
    found = [_number(match) for match in _PLACE.finditer(message)]
    if _LAST.search(message):
        found.append(-1)
    return list(dict.fromkeys(found))


def points(message: str) -> bool:
    """Whether it points to papers that were spoken of. Behind a word for searching it means what is found then."""
    these = _THESE.search(message)
    return these is not None and _SOUGHT.search(message, 0, these.start()) is None


def pointer(message: str) -> str:
    """The words by which it points to what was spoken of, with the letter behind them; empty where it does not."""
    these = _THESE.search(message)
    return message[these.start() : these.end() + 1] if these else ""


def names_papers(words: str) -> bool:
    """Whether words speak of papers by that name."""
    return _PAPER.search(words) is not None


def points_to_answer(message: str) -> bool:
    """Whether it points to what was said, and to no paper."""
    if _PAPER.search(message) or _SOUGHT.search(message):
        return False
    return bool(_ANSWER.search(message) or _BARE.fullmatch(message) or points(message))


def several(message: str) -> bool:
    """Whether it says that it speaks of more than one paper."""
    return _SEVERAL.search(message) is not None or (count(message) or 0) > 1


def compares(message: str) -> bool:
    """Whether it asks for a comparison."""
    return _COMPARE.search(message) is not None


def count(message: str) -> int | None:
    """How many papers it asks for, where it says so."""
    found = _COUNT.search(message)
    return _number(found) or None if found else None


def parts(message: str) -> tuple[str, str]:
    """The request, and the text that comes with it, empty where none does. The text stands behind a colon, or on lines
    of its own behind or before the request."""
    given = _GIVEN.search(message)
    least = _LEAST if given else _LONG
    if first := _BREAK.search(message):
        head, behind = message[: first.start()], message[first.end() :]
        before, _, tail = message.rstrip().rpartition("\n")
        if (given and given.start() < first.start()) or not before or len(head) <= len(tail):
            request, text = head, behind
        else:
            request, text = tail, before
        if len(text.strip()) >= least and len(request) <= _LONG:
            return request.strip(), text.strip()
    if given and len(message) > _SHORT and not _PAPER.search(message[: given.end() + 20]):
        return "", message
    return message, ""


def _number(match: re.Match[str]) -> int:
    word = next(each for each in match.groups() if each).casefold()
    return int(word) if word.isdigit() else _NUMBERS[word]
