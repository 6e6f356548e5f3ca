"""Emphasis where words are written without spaces between them and what belongs to them.

CommonMark (6.2) lets no `**` close between punctuation and a letter, which is where a Korean particle stands:
`**50%**를`. Here Hangul, Han and kana beside a mark count as a space does.
"""

import re
from typing import TYPE_CHECKING

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_WIDE = re.compile(
    "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uffdc\U00020000-\U0003ffff]"
)


def parse(src: str, md: "MarkdownIt", env: EnvType, tokens: list[Token]) -> list[Token]:
    """In place of `ParserInline.parse`, whose states know CommonMark's rule alone."""
    state = _State(src, md, env, tokens)
    md.inline.tokenize(state)
    for rule in md.inline.ruler2.getRules(""):
        rule(state)
    return state.tokens


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Whether the marks that begin at `start` may open and close; CommonMark's left- and right-flanking."""
        marker, end = self.src[start], start
        while end < self.posMax and self.src[end] == marker:
            end += 1
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        stops_before, stops_after = _is_punctuation(before), _is_punctuation(after)
        left = not isWhiteSpace(ord(after)) and (not stops_after or stops_before or _is_apart(before))
        right = not isWhiteSpace(ord(before)) and (not stops_before or stops_after or _is_apart(after))
        opens = left and (canSplitWord or not right or stops_before)
        closes = right and (canSplitWord or not left or stops_after)
        return Scanned(opens, closes, end - start)


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_apart(character: str) -> bool:
    return isWhiteSpace(ord(character)) or _WIDE.match(character) is not None
