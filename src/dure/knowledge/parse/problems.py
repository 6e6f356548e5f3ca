"""Why a document cannot be read, in words for its owner."""

from typing import Any

from dure.errors import DocumentUnreadable, Language

PROBLEMS: dict[str, dict[Language, str]] = {
    "empty": {"ko": "파일이 비어 있습니다.", "en": "the file is empty."},
    "no_text": {
        "ko": "글자가 없습니다. 스캔한 이미지라면 글자 인식(OCR)을 거친 파일을 올려 주세요.",
        "en": "it holds no text. If it is a scan, upload a version that has gone through OCR.",
    },
    "encrypted": {
        "ko": "암호가 걸려 있습니다. 암호를 푼 파일을 올려 주세요.",
        "en": "it is protected by a password. Upload an unprotected copy.",
    },
    "broken": {
        "ko": "파일이 손상되었거나 형식이 올바르지 않습니다.",
        "en": "the file is damaged or not what its format asks for.",
    },
    "too_big": {
        "ko": "압축을 풀면 너무 큽니다({size} 바이트, 한도 {limit} 바이트).",
        "en": "unpacked it is too large ({size} bytes; the limit is {limit}).",
    },
    "too_long": {
        "ko": "글이 너무 깁니다({chars}자, 한도 {limit}자). 나누어서 올려 주세요.",
        "en": "its text is too long ({chars} characters; the limit is {limit}). Upload it in parts.",
    },
    "unsafe": {
        "ko": "문서 안의 XML에 허용되지 않는 선언(DTD)이 있습니다.",
        "en": "its XML holds a declaration (DTD) that is not allowed.",
    },
    "timeout": {"ko": "{seconds}초 안에 읽지 못했습니다.", "en": "it could not be read within {seconds} seconds."},
    "memory": {"ko": "읽는 데 메모리가 너무 많이 듭니다.", "en": "reading it takes too much memory."},
    "crash": {"ko": "읽는 도중에 처리가 중단되었습니다.", "en": "reading it came to a sudden end."},
    "missing": {"ko": "보관한 원본 파일이 없습니다.", "en": "the stored original is missing."},
}


class Unreadable(DocumentUnreadable):
    """DocumentUnreadable for one of `PROBLEMS`, with the parameters of its sentence."""

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.parameters = parameters
        super().__init__(problem=problem, reason=self._reason("en"))

    def _reason(self, language: Language) -> str:
        return PROBLEMS[self.problem][language].format_map(self.parameters)

    def message(self, language: Language = "en") -> str:
        template = self.ko if language == "ko" else self.en
        return template.format(reason=self._reason(language))
