"""What a question of counting asks for, read without a model, and what of it was not understood."""

import re
from dataclasses import dataclass, field

from dure.packs.papers.stages.counting_papers import MARK, cut, marked, meant, relate
from dure.packs.papers.stages.filters import filters_of, names_several, without_filters
from dure.packs.papers.stages.known import Known
from dure.packs.papers.stages.pointing import names_papers, places, pointer
from dure.packs.papers.stages.sql_form import Form, Measure, Order, Row

_MOST = 10
"""Rows of a ranking of papers or authors that names no number."""
_BESIDE = 5
"""Rows shown where the first is asked for: the others are its neighbours."""
_TITLE = re.compile(
    r"제목에\s?[\"'“‘]?([^\"'”’]{2,40}?)[\"'”’]?(?:이라는|라는|이란|란)?\s?(?:단어|말)?(?:이|가|을|를)?\s?(?:들어|포함|있는|나오|쓰인)\S*"
    r"|\b(?:with|containing|contains?|have|has|having|include|mention)\s+(?:the\s+words?\s+)?[\"'“‘]?([^\"'”’]{2,40}?)[\"'”’]?"
    r"\s+in\s+(?:the|its|their)\s+titles?\b"
    r"|\btitles?\s+(?:that\s+)?(?:with|containing|contains?|holds?|includes?|mentions?)\s+(?:the\s+words?\s+)?"
    r"[\"'“‘]?([^\"'”’?.]{2,40})[\"'”’]?",
    re.IGNORECASE,
)
_NOUNS: dict[Row, str] = {
    "term": r"용어집|용어|glossary|terms?",
    "year": r"연도|년도|해(?=[가-힣]?(?:\W|$))|언제|years?|when",
    "venue": r"학회지?|학술지|학술대회|저널|컨퍼런스|venues?|conferences?|journals?",
    "field": r"분야|fields?|areas?",
    "author": r"저자|연구자|사람|누구|누가|authors?|researchers?|who|people|person",
    "paper": r"논문|연구|papers?|works?|articles?|publications?",
}
_PLURALS: dict[Row, Measure] = {
    "term": "terms",
    "year": "years",
    "venue": "venues",
    "field": "fields",
    "author": "authors",
    "paper": "papers",
}
_NOUN = re.compile(
    "|".join(rf"(?P<{row}>(?<![A-Za-z가-힣])(?:{words}))" for row, words in _NOUNS.items()), re.IGNORECASE
)
_ACROSS = r"|by|(?:across|over)(?:\sthe)?|distribution\sof(?:\sthe)?"
_GROUP = re.compile(
    "|".join(
        rf"(?P<{row}>(?:{words})\s?(?:별|마다)(?:로)?"
        rf"|\b(?:per|each|every|(?:in|for)\s(?:each|every){_ACROSS if row != 'paper' else ''})\s(?:{words})\b"
        rf"(?!\s(?:counts?|numbers?|citations?))|\b(?:{words})\sdistribution\b)"
        for row, words in (_NOUNS | {"year": "연도|년도|연|해|매년|years?|(?<=per )annum"}).items()
    )
    + r"|(?P<yearly>매년|해마다|연간|annual(?:ly)?|yearly)",
    re.IGNORECASE,
)
_GROUPED = ("venue", "field", "year")
"""Of which the highest mean or share may be asked for."""
_ORDERS: dict[Order, str] = {
    "oldest": r"오래된|오래전|(?:가장|제일|맨)\s(?:처음|먼저|이른)[가-힣]*|\b(?:oldest|earliest)\b",
    "newest": r"(?:가장|제일)\s(?:최근|최신|새로운|나중)[가-힣]*|최신|\b(?:newest|latest|most recent)\b",
    "least": r"(?:가장|제일)\s(?:적|낮|안)[가-힣]*|최소|최저|하위|적은|적게"
    r"|\b(?:least|fewest|lowest|smallest|bottom|minimum)\b",
    "most": r"가장|제일|최다|최고|최대|상위|순위|랭킹|많은|많이|높은|순으로|순서"
    r"|\b(?:most|top|highest|rank\w*|maximum|largest|biggest|best)\b",
}
_ORDER = {order: re.compile(words, re.IGNORECASE) for order, words in _ORDERS.items()}
_RANKED = re.compile(r"순위|랭킹|상위|하위|순으로|순서|목록|\b(?:rank\w*|top|bottom|list)\b", re.IGNORECASE)
_KO = {word: at for at, word in enumerate(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"], 1)}
_EN = {
    word: at
    for at, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1)
}
_LIMIT = re.compile(
    rf"(?<![가-힣\d])(\d{{1,2}}|{'|'.join(_KO)})\s?(?:편|명|개|곳|군데|위|건|가지|권|인)(?:까지|만|씩)?"
    rf"|\b(?:top|bottom|first|the)\s(\d{{1,2}}|{'|'.join(_EN)})\b"
    rf"|\b(\d{{1,2}}|{'|'.join(_EN)})\s(?=(?:[a-z-]+\s){{0,2}}?(?:{'|'.join(_NOUNS.values())})\b)",
    re.IGNORECASE,
)
_CITATIONS = re.compile(r"피?인용|\bcit(?:ed|ations?)\b", re.IGNORECASE)
_REFERENCES = re.compile(r"참고\s?문헌|\breferences?\b", re.IGNORECASE)
_MEAN = re.compile(r"평균|\b(?:average|mean)\b", re.IGNORECASE)
_SHARE = re.compile(r"비율|비중|퍼센트|몇\s?%|\b(?:share|fraction|percent\w*|proportion)\b", re.IGNORECASE)
_UNITS: tuple[tuple[Measure, str], ...] = (
    ("authors", r"몇\s?(?:명|사람)"),
    ("venues", r"몇\s?(?:곳|군데)"),
    ("papers", r"몇\s?편|편수"),
    ("citations", r"인용(?:\s?(?:수|횟수))|몇\s?(?:번|회)\s?인용"),
)
_NUMBER = re.compile(
    r"몇|(?:수|개수|갯수|숫자|횟수|편수|인원)(?=(?:[는은를을가이도의]|좀|만|야)?(?:\W|$))|얼마나|총|세어|세\s?[줘봐]|카운트"
    r"|\b(?:how many|number of|count\w*|total)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:how many|number of|count(?: of)?(?: all)?(?: the)?|total)\s(?:\w+\s){0,2}?"
    rf"(?P<en>{'|'.join(_NOUNS.values())})\b"
    rf"|(?P<ko>{'|'.join(_NOUNS.values())})(?:에|이|가|은|는|의|들|들은)?\s?(?:총|모두|전부|전체)?\s?(?:등록된|실린|있는|들어\s?있는)?\s?"
    r"(?:몇|수(?![가-힣]{2})|개수|갯수|편수|숫자|얼마나)",
    re.IGNORECASE,
)
_WHICH = re.compile(
    rf"(?:어느|어떤|무슨)\s?(?P<ko>{'|'.join(_NOUNS.values())})"
    rf"|\b(?:which|what|rank|list|top|bottom)\s(?:the\s)?(?:\w+\s)??(?P<en>{'|'.join(_NOUNS.values())})\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[가-힣]+|[^\W_가-힣]+(?:[.'’-][^\W_가-힣]+)*")
_PLAIN = re.compile(
    # Particles, endings and verbs that say no more than the form does.
    r"[가-힣]|(?:논문|연구|저자|연구자|사람|학회|학술지|저널|컨퍼런스|분야|용어|용어집|연도|년도|년|해|인용|피인용|참고|문헌|편수|개수|갯수|횟수|숫자|편"
    r"|명|곳|번|회|건|개|가지|수|거|게|것)(?:들|별|마다|수|당|순)?"
    r"(?:은|는|이|가|을|를|의|에|에는|에서|로|으로|도|만|과|와|랑|이랑|씩|이나|나|까지|부터|이야|야|인지|이고|인가|인가요|예요|이에요|죠|이죠|인데|요|좀|지)?"
    r"|(?:가장|제일|많|적|높|낮|오래|최근|최신|최다|최고|최대|최소|상위|하위|순위|랭킹|순서|순으로|평균|비율|비중|퍼센트|총|모두|전체|전부|각각|합계"
    r"|등록|들어|실린|실렸|게재|발표|출판|나온|나왔|나오|있|되|된|됐|받|내(?=줘|주)|같이|함께|늘|줄었|어떻|하|한|해|했|쓴|썼|쓰|낸|냈|보여|알려|말해|구해|뽑|세어|세줘|계산|정리|표시"
    r"|찾아|골라|궁금|중(?!앙값)|누구|누가|언제|어디|어느|어떤|무엇|무슨|뭐|얼마|몇|이름|제목|목록|리스트|분포|추이|통계|변화|현황|순|그럼|그러면|가운데"
    r"|우리|여기|현재|지금|서재|라이브러리|모음|컬렉션|데이터|서고|표로|표|지|인|까지|사이|동안|부터|대해|대한|관한|관련|많아)[가-힣]{0,5}"
    r"|how|many|much|often|number|numbers|count|counts|counted|total|totals|papers?|works?|articles?|publications?|authors?|researchers?|people"
    r"|person|venues?|conferences?|journals?|fields?|areas?|years?|terms?|glossary|cit(?:e|es|ed|ing|ations?)|references?|top|most|least"
    r"|fewest|highest|lowest|largest|smallest|biggest|maximum|minimum|bottom|rank|ranked|ranking|rankings|list|show|give|tell|me|us|i|we|you|please|can|could|the|a|an|of|in|on|by|per|for"
    r"|from|to|at|and|with|that|which|what|who|whom|when|where|was|were|are|is|be|been|there|here|do|does|did|have|has|had|hold|holds"
    r"|all|each|every|it|its|their|this|these|library|collection|database|average|mean|share|fraction|percent|percentage|proportion"
    r"|distribution|oldest|earliest|newest|latest|recent|published|publish|appeared|appear|came|come|out|written|wrote|write|writes|different|distinct|unique"
    r"|got|get|gets|as|table|about|regarding|appears?|often|times|over|across|then|so|now|using|entries|contain|contains|listed|one|ones|up|since|among|within|together|only",
    re.IGNORECASE,
)


_MORE = re.compile(
    r"(?:많|높|적|낮)[가-힣]+\s[^.?!]*(?:가장|제일)\s?(?:적|낮|많|높)"
    r"|(?:첫|제\s?1|1)\s?(?:번째\s?)?저자|저자(?:\s?(?:한|1)\s?명)?\s?(?:당|마다)|\bmost\b.*\b(?:least|fewest)\b",
    re.IGNORECASE,
)
"""Two ends at once; first authors; what is counted for each author."""
_CITES = re.compile(r"인용(?:한|하|했)|\bcit(?:e|es|ing)\b", re.IGNORECASE)
BEYOND = re.compile(
    rf"{MARK}|"
    r"\d|이상|이하|초과|미만|넘|없|않|아닌|안 |제외|빼고|중앙값|표준|상관|둘|같은|그중|그걸"
    r"|\b(?:more|fewer|less|least|over|under|than|without|not|no|non|except|median|deviation|same|single|both|versus|vs|decades?)\b",
    re.IGNORECASE,
)
"""Words that a form has no place for: bounds, negations, other measures; the mark, where it was not read how a question
is about its papers."""


@dataclass(slots=True)
class Reading:
    """`form`: as far as it was read. `left`: words that it does not hold. `unmet`: it points to papers, and none is
    there."""

    form: Form
    left: list[str] = field(default_factory=list)
    unmet: bool = False
    rest: str = ""
    """The question without what was read."""

    def phrases(self) -> list[str]:
        """The words of `left`, those that stand side by side as one: "Ross Girshick"."""
        found: list[str] = []
        for word in self.left:
            if found and re.search(rf"{re.escape(found[-1])}[.\s]+{re.escape(word)}", self.rest):
                found[-1] += f" {word}"
            else:
                found.append(word)
        return found

    def topic(self) -> str:
        """What is left, where it is one name or term that stands before or behind the papers: "diffusion papers"."""
        phrases = self.phrases()
        if len(phrases) != 1 or BEYOND.search(phrases[0]):
            return ""
        phrase = re.escape(phrases[0]).replace(r"\ ", r"[.\s]+")
        found = re.search(
            rf"{phrase}(?:\s?(?:관련|분야|주제))?(?:에|을|를)?\s?(?:관한|대한|다룬|관련된?)?\s?논문|{phrase}\s(?:papers?|works|articles)\b"
            rf"|\b(?:papers|works|articles)\s(?:about|on|regarding|related to)\s{phrase}",
            self.rest,
            re.IGNORECASE,
        )
        return phrases[0] if found else ""

    def understood(self, phrases: list[str]) -> None:
        """Take words out of `left`."""
        known = {word for phrase in phrases for word in phrase.split()}
        self.left = [word for word in self.left if word not in known]


def read(known: Known) -> Reading:
    """The form of the question of `known`."""
    form = Form()
    rest = " ".join(known.request.split())
    if title := _TITLE.search(rest):
        form.title = next(filter(None, title.groups())).strip()
        rest = f"{rest[: title.start()]} {rest[title.end() :]}"
    rest, mention = marked(rest, known)
    form.filters = filters_of(rest)
    more = names_several(rest) or _MORE.search(rest) is not None
    rest = without_filters(rest)
    papers = [] if form.title else meant(known)
    rest = relate(form, rest, papers)
    unread = _CITES.search(rest) is not None if form.only else MARK in rest
    these = pointer(known.request)
    unmet = not papers and bool(places(known.request) or names_papers(these))
    left = [these] if these and not papers else []
    rest = _what(form, rest)
    ends = [found[0] for order in ("oldest", "newest", "least") if (found := _ORDER[order].search(rest))]
    # A share is of all papers, not of those that one of several filters lets through.
    more = more or (form.total == "share" and len(form.filters.as_args()) > 1)
    left += ends[1:] + [MARK] * (unread or more)
    if form.only and mention and form.measure == "papers" and (form.rows == "all" or form.order):
        # "How many BERT papers" are those that have it in their titles, which are mostly English.
        names = [mention, *(form.only[0].get("aliases") or ())]
        form.title, form.only = next((name for name in names if name.isascii()), mention), []
    elif form.only and form.rows == "all" and len(form.only) > 1:
        form.rows = "paper"
    left += [word for word in _WORD.findall(rest.replace(MARK, " ")) if not _PLAIN.fullmatch(word)]
    return Reading(form, left, unmet, rest)


def cites(known: Known) -> bool:
    """Whether the question is about who cites whom."""
    return _CITATIONS.search(known.request) is not None or re.search(r"\bcit(?:e|es|ing)\b", known.request) is not None


def _what(form: Form, rest: str) -> str:
    """Read what is counted, by what, in which order and how many; what was read is cut out of the question."""
    if form.rows is not None:
        return rest
    form.total = "share" if _SHARE.search(rest) else "mean" if _MEAN.search(rest) else "sum"
    form.order = next((order for order, words in _ORDER.items() if words.search(rest)), None)
    group = _GROUP.search(rest)
    if form.order and (limit := _LIMIT.search(rest)):
        form.limit = _number(next(filter(None, limit.groups())))
        rest = cut(rest, limit)
    glossary: Measure | None = "terms" if re.search(_NOUNS["term"], rest, re.IGNORECASE) else None
    cited: Measure | None = "referenced" if _REFERENCES.search(rest) else None
    if _CITATIONS.search(rest) and not (form.citing or form.cited_by):
        cited = "citations"
    if group and group.lastgroup:
        form.rows = "year" if group.lastgroup == "yearly" else group.lastgroup  # type: ignore[assignment]
        form.measure = glossary or cited or _counted(cut(rest, group)) or "papers"
        if form.measure == f"{form.rows}s":
            form.measure = cited or "papers"
        if form.total == "mean" and form.rows == "paper":
            form.rows, form.measure = "all", cited or "authors"
        return cut(rest, group)
    number = _NUMBER.search(rest)
    if form.order in ("newest", "oldest"):
        form.rows, form.measure, form.one = "paper", None, form.limit is None
        form.limit = form.limit or _BESIDE
    elif form.order and not glossary and (form.total == "sum" or _head(rest)[0] in _GROUPED):
        form.rows, plural = _head(rest)
        form.measure = cited or ("papers" if form.rows != "paper" else _less(_counted(rest), rest))
        if form.total == "mean":
            form.measure = cited or "authors"
        form.one = form.limit is None and not plural and not _RANKED.search(rest)
        form.limit = form.limit or (_BESIDE if form.one else _MOST if form.rows in ("paper", "author") else None)
    elif number or form.total != "sum":
        form.rows = "all"
        counted = _counted(rest)
        form.measure = glossary or counted or cited or "papers"
        if form.total == "mean":
            form.measure = cited or "authors"
        form.limit = None
    elif glossary:
        form.rows = "term"
    elif form.only:
        form.rows, form.measure = _fact(rest)
    elif form.citing or form.cited_by or form.title or form.filters.as_args():
        form.rows = _head(rest)[0]
        form.measure = None if form.rows == "paper" else "papers"
    return rest


def _counted(rest: str) -> Measure | None:
    """What is to be counted, where the question says it."""
    for measure, words in _UNITS:
        if re.search(words, rest):
            return measure
    found = list(_COUNTED.finditer(rest))
    row = _row(found[-1], found[-1]["en"] or found[-1]["ko"]) if found else None
    return _PLURALS[row] if row else None


def _less(measure: Measure | None, rest: str) -> Measure | None:
    """By what papers are ranked: not by their own number."""
    if measure in ("authors", "citations", "referenced"):
        return measure
    return "authors" if re.search(r"저자[가는]|authors", rest, re.IGNORECASE) else None


def _head(rest: str) -> tuple[Row, bool]:
    """What a ranking is of, and whether of several: the noun behind "which", else in Korean the last, in English the
    first one."""
    if which := _WHICH.search(rest):
        word = which["ko"] or which["en"]
        return _row(which, word) or "paper", word.casefold().endswith("s")
    nouns = [
        match
        for match in _NOUN.finditer(rest)
        if not re.match(r"\s?(?:수|편수|개수)(?:[는은를을가이로]|\W|$)", rest[match.end() :])
    ]
    if not nouns:
        return "paper", False
    noun = nouns[-1] if re.search("[가-힣]", rest) else nouns[0]
    return _row(noun) or "paper", noun[0].casefold().endswith("s")


def _fact(rest: str) -> tuple[Row, Measure | None]:
    """What is asked about named papers: who wrote them, else what is known of them."""
    return ("author", "papers") if re.search(_NOUNS["author"], rest, re.IGNORECASE) else ("paper", None)


def _row(match: re.Match[str] | None, word: str = "") -> Row | None:
    if match is None:
        return None
    return next((row for row, words in _NOUNS.items() if re.fullmatch(words, word or match[0], re.IGNORECASE)), None)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _KO.get(word) or _EN[word.casefold()]
