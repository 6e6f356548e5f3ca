"""A term of the glossary."""

from dataclasses import asdict, dataclass
from dataclasses import field as of
from typing import Any

from dure.errors import InvalidInput, Language
from dure.packs.papers.keys import clean, title_key
from dure.packs.papers.texts import TEXTS

_NAME, _NAMES, _TEXT, _FIELD = 200, 30, 4000, 64


class InvalidTerm(InvalidInput, code="invalid_term", texts=TEXTS): ...


@dataclass(slots=True, kw_only=True)
class Term:
    """What a term is called, and what it means: in plain words (`easy_…`) and exactly (`expert_…`), in Korean and
    English. "" stands for what is not known. `shared`: everybody's, which nobody can remove.
    """

    term_ko: str = ""
    term_en: str = ""
    aliases: list[str] = of(default_factory=list)
    field: str = ""
    easy_ko: str = ""
    easy_en: str = ""
    expert_ko: str = ""
    expert_en: str = ""
    id: str = ""
    shared: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For HTTP, the terminal and tools."""
        return asdict(self)

    def name(self, language: Language) -> str:
        """What it is called in a language; in the other where that is all there is."""
        names = (self.term_ko, self.term_en) if language == "ko" else (self.term_en, self.term_ko)
        return names[0] or names[1]

    @property
    def names(self) -> list[str]:
        """All its names: Korean, English, then the aliases."""
        return [each for each in (self.term_ko, self.term_en, *self.aliases) if each]

    @property
    def keys(self) -> list[str]:
        """The forms in which its names are compared: letters and digits alone, case folded."""
        return list(dict.fromkeys(filter(None, (title_key(each)[:_NAME] for each in self.names))))


def checked(term: Term) -> Term:
    """A term as it is stored: clean, without empty or doubled aliases.

    Raises InvalidTerm where it has no name, no definition, or is too long.
    """
    tidy = Term(
        term_ko=clean(term.term_ko),
        term_en=clean(term.term_en),
        field=clean(term.field).casefold()[:_FIELD],
        easy_ko=clean(term.easy_ko),
        easy_en=clean(term.easy_en),
        expert_ko=clean(term.expert_ko),
        expert_en=clean(term.expert_en),
    )
    known = set(tidy.keys)
    for alias in map(clean, term.aliases):
        if (key := title_key(alias)) and key not in known:
            known.add(key)
            tidy.aliases.append(alias)
    named = bool(Term(term_ko=tidy.term_ko, term_en=tidy.term_en).keys)
    texts = (tidy.easy_ko, tidy.easy_en, tidy.expert_ko, tidy.expert_en)
    short = max(map(len, tidy.names), default=0) <= _NAME and max(map(len, texts)) <= _TEXT
    if not (named and any(texts) and short and len(tidy.aliases) <= _NAMES):
        raise InvalidTerm(name=_NAME, names=_NAMES, text=_TEXT)
    return tidy
