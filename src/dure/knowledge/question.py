"""The terms of a question that say what it is about."""

import re

from dure.patterns import later
from dure.storage.terms import words

_ENDING = (
    "(?:이?[가는은을를의로에]|에서|까지|부터|에게|인가요?|입니까|이?[야지죠]|이?에요|예요|이?었나요?|였나요?|이?던가"
    "|이?라고|이며|이?고|나|동안|인지)*"
)
INTERROGATIVES = "무엇|무얼|뭐|뭘|누구|누가|어디|언제|얼마|어떻게|어떤|어느|무슨|왜|몇"
_ASKING = later(
    rf"(?<![가-힣])(?:(?:{INTERROGATIVES}){_ENDING}"
    r"|(?:알려|말해|설명해|가르쳐|찾아)\s?(?:줘요?|주세요|주십시오|줄래요?)|궁금해요?|궁금합니다"
    r"|(?:입|있습|됩)니까|[되있하](?:나요|는가)|[였했]는가|(?:있어|돼)요?|인가요?|할까요?|해야)(?![가-힣])"
)
QUANTITY = later(r"얼마|며칠|몇|언제|how (?:many|much|long|often|old|loud)|\bwhen\b", re.IGNORECASE)
"""Asks for a figure or a day."""
_MARK = later(
    r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|『[^』]*』|《[^》]*》|〈[^〉]*〉|\([^)]*\)|\[[^\]]*\]|(?<!\w)'[^']*'"
    r"|(,(?!\s+[A-Z]\w{0,2}\.)(?=\s)|[;、](?=\s)|[?!](?=\s|$)|(?:(?<=[가-힣])|(?<=[^\W\d_]{4}))\.(?=\s)|\n)"
)
"""What is quoted or in brackets, which stays whole, or a mark between parts. A comma before an initial is of a name, a
full stop after three Latin letters of an abbreviation."""
_PART = 2
"""Words of what can be asked by itself. What has fewer between its marks lists things, or names one."""
_ARTICLES = "a an and at by for from in it its of on or that the their there this to with"
_VERBS = "are be can did do does had has have is please tell was were will would"
_QUESTIONS = "how i many me much my our we what when where which who whom whose why you your"
_ENGLISH = frozenset(f"{_ARTICLES} {_VERBS} {_QUESTIONS}".split())


def content_terms(query: str) -> list[str]:
    """The distinct terms of a query without interrogatives and English function words; all, if only such are left."""
    return list(dict.fromkeys(term for word in content_words(query) for term in word))


def content_words(query: str) -> list[list[str]]:
    """The same by words, with repetitions."""
    return [word for word in words(_ASKING.sub(" ", query)) if word[0] not in _ENGLISH] or words(query)


def parts(query: str) -> list[str]:
    """What a query asks for between its marks, two parts at least; none where its marks do not part wants: names,
    figures, quotations and lists of single words keep theirs."""
    cuts = [mark.span() for mark in _MARK.finditer(query) if mark.lastindex]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(query)]
    found = [part for start, end in zip(starts, ends, strict=True) if (part := query[start:end].strip())]
    return found if len(found) > 1 and all(len(words(part)) >= _PART for part in found) else []
