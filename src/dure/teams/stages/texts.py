"""What the stages say in their own words, and what they ask of models."""

import re
from typing import Any

from dure.errors import Language

_TEXT: dict[str, dict[Language, str]] = {
    "no_papers": {"ko": "논문 목록에서 맞는 논문을 찾지 못했습니다.", "en": "The library has no paper that fits."},
    "search_failed": {
        "ko": "논문 목록을 검색하지 못했습니다: {reason}",
        "en": "The library could not be searched: {reason}",
    },
    "without": {
        "ko": "조건({names})에 맞는 논문이 없어, 이 조건 없이 찾았습니다.",
        "en": "No paper fits this condition ({names}), so it was left out of the search.",
    },
    "no_paper": {
        "ko": "어느 논문을 말하는지 알 수 없거나 논문 목록에 없습니다.",
        "en": "It is not clear which paper is meant, or the library does not have it.",
    },
    "no_such_paper": {
        "ko": "논문 목록에 없는 논문이라 셀 수 없습니다: {names}",
        "en": "The library has no such paper, so nothing was counted: {names}",
    },
    "no_place": {
        "ko": "앞에서 찾은 논문 목록에 그 번호가 없습니다. 목록의 논문은 {count}편입니다.",
        "en": "The list of papers found before has no such place; it has {count} paper(s).",
    },
    "no_list": {
        "ko": "이 대화에서 찾은 논문 목록이 없습니다. 논문 이름을 말씀하시거나 먼저 논문을 찾아 주세요.",
        "en": "No papers were listed in this conversation yet. Name the paper, or search for papers first.",
    },
    "no_web": {"ko": "웹에서 찾지 못했습니다.", "en": "Nothing was found on the web."},
    "web_failed": {"ko": "웹 검색을 할 수 없습니다: {reason}", "en": "The web cannot be searched: {reason}"},
    "instead_web_search": {"ko": "대신 웹에서 찾아보았습니다.", "en": "So the web was searched instead."},
    "instead_general": {
        "ko": "그래서 출처 없이 아는 대로 답합니다.",
        "en": "So this is answered from general knowledge, without a source.",
    },
    "instead": {"ko": "그래서 {agent}이(가) 이어서 답합니다.", "en": "So {agent} answers instead."},
    "found": {"ko": "논문 {count}편을 찾았습니다.", "en": "{count} paper(s) found."},
    "not_in_glossary": {
        "ko": '용어집에 없는 말이라 아는 대로 설명했습니다. 용어집에 추가하려면 "용어집에 추가해줘"라고 말씀해 주세요.',
        "en": 'The glossary does not have this term, so this is from general knowledge. Say "add it to the '
        'glossary" to keep it.',
    },
    "spelled_alike": {
        "ko": "용어집에 그 용어는 없습니다. 철자가 가장 비슷한 용어는 다음과 같으며, 다른 용어일 수 있습니다.",
        "en": "The glossary does not have this term. The one spelled most like it follows; it may be another term.",
    },
    "near_terms": {"ko": "용어집에 있는 비슷한 용어: {names}", "en": "Terms of the glossary that come near: {names}"},
    "also_known": {"ko": "다른 이름: {names}", "en": "Also known as: {names}"},
    "plain_words": {"ko": "쉬운 말로 풀면", "en": "In plain words"},
    "for_easy": {
        "ko": "처음 배우는 사람이 읽습니다. 짧은 문장과 쉬운 말로 쓰세요.",
        "en": "The reader is new to this. Short sentences, plain words.",
    },
    "for_hard": {
        "ko": "전문가가 읽습니다. 전문 용어와 수치를 살려 정확하게 쓰세요.",
        "en": "The reader is an expert. Be exact, keep technical terms and numbers.",
    },
    "no_term": {"ko": "추가할 용어를 알 수 없습니다.", "en": "It is not clear which term to add."},
    "saved": {"ko": "저장했습니다: {name}", "en": "Saved as {name}"},
    "not_saved": {"ko": "저장하지 못했습니다: {reason}", "en": "It could not be saved: {reason}"},
    "nothing_to_save": {
        "ko": "저장할 답이나 결과가 없습니다. 먼저 질문해 주세요.",
        "en": "There is no answer or result to save yet. Ask something first.",
    },
    "other_format": {
        "ko": "그 형식의 파일은 만들 수 없습니다. md, txt, json, csv, docx(워드) 가운데 하나로 말씀해 주세요.",
        "en": "Files of that format cannot be made. Say which it should be: md, txt, json, csv or docx (Word).",
    },
    "reply_in": {"ko": "한국어로 쓰세요.", "en": "Write in English."},
    "sql": {"ko": "사용한 SQL", "en": "The SQL used"},
    "no_sql": {
        "ko": "질문에 맞는 조회문을 만들지 못했습니다: {reason}",
        "en": "No working query came of the question: {reason}",
    },
    "no_rows": {"ko": "조건에 맞는 자료가 없습니다.", "en": "Nothing fits these conditions."},
    "rows": {"ko": "결과는 {count}줄입니다.", "en": "{count} row(s)."},
    "rows_at_least": {"ko": "결과는 {count}줄 이상입니다.", "en": "{count} or more row(s)."},
    "rows_shown": {
        "ko": "전체 {count}줄 가운데 앞 {shown}줄입니다. CSV로 저장하면 모두 담깁니다.",
        "en": "These are the first {shown} of {count} rows; saved as CSV, all are there.",
    },
    "rows_cut": {
        "ko": "앞 {shown}줄입니다. 조회는 {count}줄에서 끊었으며, 결과가 더 있을 수 있습니다.",
        "en": "These are the first {shown} rows. The query was cut at {count} rows; there may be more.",
    },
    "one_value": {"ko": "{name}: {value}", "en": "{name}: {value}"},
    "card_only": {
        "ko": "전문이 없어 등록된 요약 정보만으로 정리했습니다.",
        "en": "The full text is not here; this is from the paper's card alone.",
    },
    "cards_of": {
        "ko": "다음은 전문이 없어 등록된 요약 정보만으로 정리했습니다: {titles}",
        "en": "The full text of these is not here, only their cards: {titles}",
    },
    "partly_read": {
        "ko": "{title}: 글이 길어 앞부분 {percent}%만 읽고 정리했습니다.",
        "en": "{title}: the text is long; only its first {percent}% was read.",
    },
    "text_partly_read": {
        "ko": "글이 길어 앞부분 {percent}%만 읽고 정리했습니다.",
        "en": "The text is long; only its first {percent}% was read.",
    },
    "missing": {
        "ko": "논문 목록에서 찾지 못해 빠진 것: {names}",
        "en": "Left out, since the library does not have it by this name: {names}",
    },
    "too_many": {
        "ko": "한 번에 {most}편까지 읽습니다. 읽지 않은 논문: {titles}",
        "en": "At most {most} papers are read at once. Not read: {titles}",
    },
}


def text(key: str, language: Language, **values: Any) -> str:
    """The text `key` with its values filled in."""
    return _TEXT[key][language].format(**values)


def said_by(told: str, *keys: str) -> bool:
    """Whether something told is one of the texts `keys`, in any language and with any values."""
    patterns = (re.sub(r"\\{\w+\\}", ".*", re.escape(each)) for key in keys for each in _TEXT[key].values())
    return any(re.fullmatch(pattern, told.strip(), re.DOTALL) for pattern in patterns)


def instead(agent: str, method: str, language: Language) -> str:
    """That another agent answers, since the one before found nothing."""
    key = f"instead_{method}"
    return text(key if key in _TEXT else "instead", language, agent=agent)
