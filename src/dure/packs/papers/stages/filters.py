"""Years and names in a question about papers, read without a model."""

import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

_YEAR = r"(?:19[5-9]\d|20[0-4]\d)"
_KO = r"(?:\s?년(?:도)?)?"
_BETWEEN = re.compile(
    rf"(?<!\d)({_YEAR}){_KO}\s*(?:부터|에서|~|-|–|사이)\s*({_YEAR})(?!\d)|\b(?:between|from)\s+({_YEAR})\s+(?:and|to|until)\s+({_YEAR})",
    re.IGNORECASE,
)
_SINCE = re.compile(
    rf"(?<!\d)({_YEAR}){_KO}\s*(?:이후|부터|이래)|\bsince\s+({_YEAR})\b|\bfrom\s+({_YEAR})\s+on(?:wards?)?\b",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"\bafter\s+({_YEAR})\b", re.IGNORECASE)
_UNTIL = re.compile(rf"(?<!\d)({_YEAR}){_KO}\s*(?:까지|이전까지)|\b(?:until|up to|by)\s+({_YEAR})\b", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<!\d)({_YEAR}){_KO}\s*(?:이전|전에)|\bbefore\s+({_YEAR})\b", re.IGNORECASE)
_RECENT = re.compile(r"최근\s*(\d{1,2})\s*년|\b(?:last|past)\s+(\d{1,2})\s+years", re.IGNORECASE)
_VENUES = (
    "NeurIPS|NIPS|ICML|ICLR|ACL|EMNLP|NAACL|EACL|COLING|TACL|CVPR|ICCV|ECCV|AAAI|IJCAI|KDD|SIGIR|Interspeech|ICASSP"
    "|JMLR"
)
_IN = re.compile(
    rf"(?<!\d)({_YEAR})\s?년(?!\s*(?:이후|부터|이래|까지|이전|전에))|\b(?:in|of|from)\s+({_YEAR})\b"
    rf"|\b(?:{_VENUES})\s+({_YEAR})\b",
    re.IGNORECASE,
)
_VENUE = re.compile(
    rf"(?<![A-Za-z])({_VENUES})(?![A-Za-z])"
    # Words too: only where they are said to be journals.
    r"|\b(Nature|Science)(?:\s?지(?=[가-힣]*\s)|\s?(?:학술지|저널|잡지))"
    r"|\bin (?:the journal )?(Nature|Science)(?=\s*(?:$|[,.?!)])"
    r"|\s+(?:before|after|since|in|from|between|about|on|and)\b)"
)
_PERSON = (
    r"(?<![A-Za-z.])(?:[A-Z]\.\s?){0,3}[A-Z][A-Za-zÀ-ÿ'’-]+"
    r"(?:\s(?:[A-Z]\.|(?:van|von|de|der|la|le)\b|[A-Z][A-Za-zÀ-ÿ'’-]+)){0,4}"
)
_AUTHOR = re.compile(
    rf"({_PERSON})\s?(?:등|et al\.?)?\s?(?:이|가|의|씨가|교수의|교수가)\s?(?:쓴|작성한|발표한|저술한|낸|논문)"
    rf"|({_PERSON})\s(?:등|et al\.?)\s?논문"
    # "From" and "of" name topics and firms as often as people.
    rf"|\bby\s+({_PERSON})(?=\s*(?:$|[,.?!)])"
    r"|\s+(?:et al|before|after|since|in|from|until|between|about|on|and|or|with|that|which|published|to)\b)"
)
_FIELDS = {
    "nlp": r"자연어\s?처리|자연어|nlp|natural language processing",
    "llm": r"언어\s?모델|llm|language models?",
    "vision": r"(?:컴퓨터\s?)?비전|(?:computer )?vision",
    "speech": r"음성(?:\s?인식)?|speech",
    "rl": r"강화\s?학습|reinforcement learning",
    "generative": r"생성(?:\s?모델)?|generative models?",
    "graph": r"그래프(?:\s?신경망)?|graphs?",
    "retrieval": r"검색|retrieval",
    "multimodal": r"멀티\s?모달|다중\s?모달|multimodal",
    "safety": r"안전(?:성)?|safety",
    "robotics": r"로봇(?:공학)?|로보틱스|robotics",
    "systems": r"시스템|systems",
    "theory": r"이론|theory",
    "science": r"과학|science",
}
"""Words for the library's fields. Only where the message says that it speaks of a field: a topic is searched for."""
_FIELD = {
    name: re.compile(rf"(?:{words})\s?분야|\bfield of (?:{words})\b|\b(?:{words}) field\b", re.IGNORECASE)
    for name, words in _FIELDS.items()
}
FIELDS = tuple(_FIELDS)
_WORD = re.compile(r"[^\W_]+")
_STRAY = re.compile(r"(?<!\S)(?:에서|에는|에|의|년|사이|동안|간)(?!\S)")
"""What followed a filter."""
_EMPTY = re.compile(
    r"\d+(?:편|개|건)?|[가-힣]|(?:논문|연구|저자|학회|학술지|저널|분야|목록|리스트)[가-힣]{0,3}"
    r"|(?:찾|검색|추천|보여|알려|보고|골라|요약|정리|비교|저장|설명|발표|출판|파일|해|주|뭐|있)[가-힣]*"
    r"|나온|나왔던|실린|게재된|관련|관한|대한|최근|최신|모두|전부|각각|이상|이하|에서|[가-힣]{0,2}편|어떤|무슨|하나|그리고"
    r"|중에서?|그중에서?|것[만은도]?|읽[가-힣]*|만한|좋은|유명한|중요한|only|ones|after"
    r"|(?:paper|work|article|stud|publication|summar|compar|recommend|publish|sav|writ)[a-z]*"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|top|find|show|search|list|look|give|get|tell|me|us|i|we|you"
    r"|please|the|a|an|of|in|on|by|from|for|to|at|and|or|about|with|that|which|what|who|were|was|are|is|there|do|does"
    r"|have|had|all|some|any|each|them|their|it|et|al|library|recent|latest|new|up",
    re.IGNORECASE,
)
"""Words of a question about papers that name no topic."""


@dataclass(slots=True)
class Filters:
    """What papers must be; None where nothing is asked."""

    year_from: int | None = None
    year_to: int | None = None
    author: str | None = None
    venue: str | None = None
    field: str | None = None

    def as_args(self) -> dict[str, Any]:
        """Those that are set, as arguments of `search_papers`."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def filters_of(question: str) -> Filters:
    """The filters that a question states plainly."""
    found = Filters()
    if match := _BETWEEN.search(question):
        years = sorted(int(each) for each in match.groups() if each)
        found.year_from, found.year_to = years[0], years[-1]
    elif match := _RECENT.search(question):
        found.year_from = datetime.now(UTC).year - int(_one(match))
    else:
        if match := _SINCE.search(question):
            found.year_from = int(_one(match))
        elif match := _AFTER.search(question):
            found.year_from = int(_one(match)) + 1
        if match := _BEFORE.search(question):
            found.year_to = int(_one(match)) - 1
        elif match := _UNTIL.search(question):
            found.year_to = int(_one(match))
        if found == Filters() and (match := _IN.search(question)):
            found.year_from = found.year_to = int(_one(match))
    if match := _VENUE.search(question):
        found.venue = _one(match)
    if match := _AUTHOR.search(question):
        found.author = _one(match)
    found.field = next((name for name, words in _FIELD.items() if words.search(question)), None)
    return found


def topic_of(question: str) -> str:
    """What a question asks about besides its filters and how many papers; empty where it asks about nothing else."""
    rest = without_filters(question)
    return rest if any(not _EMPTY.fullmatch(word) for word in _WORD.findall(rest)) else ""


def without_filters(question: str) -> str:
    """What is left of a question without the words of its filters."""
    for words in (_BETWEEN, _RECENT, _SINCE, _AFTER, _BEFORE, _UNTIL, _IN, _AUTHOR, _VENUE, *_FIELD.values()):
        question = words.sub(" ", question)
    return " ".join(_STRAY.sub(" ", question).split())


def field_of(words: str) -> str | None:
    """The field that words name, where they name nothing else."""
    return next((name for name, known in _FIELDS.items() if re.fullmatch(known, words.strip(), re.IGNORECASE)), None)


def _one(match: re.Match[str]) -> str:
    return next(each for each in match.groups() if each)
