"""A term of the glossary."""

from dataclasses import asdict, dataclass
from dataclasses import field as of
from typing import Any

from dure.errors import InvalidInput, Language
from dure.packs.papers import TEXTS
from dure.packs.papers.keys import one_line, title_key

_NAME, _NAMES, _LONGEST, _FIELD = 200, 30, 4000, 64
_TEXT = TEXTS["tools_glossary.text"]


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

    def entry(self, language: Language, *levels: str) -> str:
        """Its names and what it means at these levels (`easy`, `expert`; where they are missing, those there are), in a
        language or else in the other, as lines of Markdown."""
        other: Language = "en" if language == "ko" else "ko"
        told = {
            level: getattr(self, f"{level}_{language}") or getattr(self, f"{level}_{other}")
            for level in ("easy", "expert")
        }
        chosen = [level for level in levels if told[level]] or [level for level in told if told[level]]
        name, also = self.name(language), self.name(other)
        lines = [f"**{name}** ({also})" if also != name else f"**{name}**"]
        lines += [f"{_TEXT[each][language]}: {told[each]}" if len(levels) > 1 else told[each] for each in chosen]
        if self.aliases:
            lines.append(f"{_TEXT['aliases'][language]}: {', '.join(self.aliases)}")
        return "\n".join(lines)

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
    names = ("term_ko", "term_en", "easy_ko", "easy_en", "expert_ko", "expert_en")
    tidy = Term(field=one_line(term.field).casefold()[:_FIELD])
    for name in names:
        setattr(tidy, name, one_line(getattr(term, name)))
    known = set(tidy.keys)
    for alias in map(one_line, term.aliases):
        if (key := title_key(alias)) and key not in known:
            known.add(key)
            tidy.aliases.append(alias)
    named = bool(Term(term_ko=tidy.term_ko, term_en=tidy.term_en).keys)
    texts = (tidy.easy_ko, tidy.easy_en, tidy.expert_ko, tidy.expert_en)
    short = max(map(len, tidy.names), default=0) <= _NAME and max(map(len, texts)) <= _LONGEST
    if not (named and any(texts) and short and len(tidy.aliases) <= _NAMES):
        raise InvalidTerm(name=_NAME, names=_NAMES, text=_LONGEST)
    return tidy
