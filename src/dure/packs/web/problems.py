"""Why a page or a search did not come, in words for the model and the user."""

from typing import Any

from dure.errors import Language, ToolError, install_line

PROBLEMS: dict[str, dict[Language, str]] = {
    # addresses
    "malformed": {
        "ko": "웹 주소가 올바르지 않습니다. https://로 시작하는 전체 주소를 그대로 쓰세요.",
        "en": "This is not a proper web address. Give the whole address, as in https://www.example.com/page.",
    },
    "scheme": {
        "ko": "http와 https 주소만 열 수 있습니다.",
        "en": "Only http and https addresses can be opened.",
    },
    "credentials": {
        "ko": "사용자 이름이나 비밀번호가 든 주소는 열지 않습니다.",
        "en": "Addresses that hold a user name or password are not opened.",
    },
    "port": {
        "ko": "포트 {port}은(는) 열지 않습니다. 열 수 있는 포트: {known}",
        "en": "Port {port} is not opened; ports that are: {known}",
    },
    "host": {
        "ko": "주소의 호스트 '{host}'은(는) 인터넷의 이름이 아닙니다.",
        "en": "The address's host '{host}' is not a name of the public internet.",
    },
    "numeric": {
        "ko": "호스트 '{host}'은(는) IP 주소의 정식 표기가 아닙니다.",
        "en": "The host '{host}' is not an IP address in its usual form.",
    },
    "private": {
        "ko": "'{host}'은(는) 공개 인터넷의 주소가 아니어서 열지 않습니다.",
        "en": "'{host}' does not lead to the public internet, so it is not opened.",
    },
    # fetching
    "unknown_host": {
        "ko": "'{host}'을(를) 찾을 수 없습니다. 주소가 틀렸거나 인터넷에 연결되어 있지 않습니다.",
        "en": "'{host}' cannot be found: the address is wrong, or there is no internet connection.",
    },
    "unreachable": {
        "ko": "'{host}'에 연결할 수 없습니다.",
        "en": "'{host}' cannot be reached.",
    },
    "certificate": {
        "ko": "'{host}'의 인증서를 확인할 수 없어 열지 않았습니다.",
        "en": "The certificate of '{host}' cannot be verified, so it was not opened.",
    },
    "timeout": {
        "ko": "페이지가 {seconds:g}초 안에 오지 않았습니다.",
        "en": "The page did not come within {seconds:g} seconds.",
    },
    "redirects": {
        "ko": "페이지가 {limit}번 넘게 다른 주소로 넘어가 그만두었습니다.",
        "en": "The page was given up: it redirected more than {limit} times.",
    },
    "status": {
        "ko": "'{host}'이(가) 페이지를 주지 않았습니다(HTTP {status}: {meaning_ko}).",
        "en": "'{host}' did not give the page (HTTP {status}: {meaning_en}).",
    },
    "too_large": {
        "ko": "페이지가 너무 큽니다. {limit} 바이트까지 읽습니다.",
        "en": "The page is too large; at most {limit} bytes are read.",
    },
    "encoding": {
        "ko": "페이지의 압축 방식({found})을 읽을 수 없습니다.",
        "en": "The page is compressed in a way that cannot be read ({found}).",
    },
    "broken": {
        "ko": "페이지가 중간에 끊기거나 손상되어 왔습니다.",
        "en": "The page came cut short or damaged.",
    },
    "pdf": {
        "ko": "PDF 파일은 웹에서 바로 읽지 않습니다. 내려받아 문서로 등록하면 읽고 인용할 수 있습니다.",
        "en": "PDF files are not read from the web. Download it and add it to the documents: then it can be read "
        "and cited.",
    },
    "kind": {
        "ko": "이 주소의 내용({found})은 읽을 수 없는 형식입니다. 읽을 수 있는 것: HTML, 텍스트, Markdown, JSON, XML",
        "en": "What is at this address ({found}) is not text that can be read. Readable: HTML, text, Markdown, JSON, "
        "XML",
    },
    # reading
    "no_text": {
        "ko": "페이지에 읽을 글이 없습니다. 스크립트로 만들어지는 페이지이거나 로그인이 필요할 수 있습니다.",
        "en": "There is no text to read in the page; it may be made by scripts or need a login.",
    },
    "slow": {
        "ko": "페이지가 너무 복잡하여 {seconds:g}초 안에 읽지 못했습니다.",
        "en": "The page is too complex: it could not be read within {seconds:g} seconds.",
    },
    "crash": {
        "ko": "페이지를 읽는 도중에 처리가 중단되었습니다.",
        "en": "Reading the page came to a sudden end.",
    },
    "missing": {
        "ko": "이 도구에 필요한 '{library}' 라이브러리가 설치되어 있지 않습니다. 설치: " + install_line("office"),
        "en": "The library '{library}' that this tool needs is not installed. Install it with: "
        + install_line("office"),
    },
    "beyond": {
        "ko": "페이지의 글은 {length}자입니다. start는 그보다 작아야 합니다.",
        "en": "The page's text has {length} characters; start must be less.",
    },
    # searching
    "offline": {
        "ko": "웹 검색 서비스에 연결할 수 없습니다. 인터넷 연결을 확인하세요.",
        "en": "The web search service cannot be reached. Check the internet connection.",
    },
    "search_timeout": {
        "ko": "웹 검색이 {seconds:g}초 안에 끝나지 않았습니다.",
        "en": "The web search did not finish within {seconds:g} seconds.",
    },
    "rate_limited": {
        "ko": "웹 검색을 너무 자주 요청했습니다. 잠시 후에 다시 시도하세요.",
        "en": "The web search was asked too often. Try again a little later.",
    },
    "quota": {
        "ko": "Tavily 요금제의 검색 한도를 다 썼습니다.",
        "en": "The search limit of the Tavily plan is used up.",
    },
    "key_refused": {
        "ko": "Tavily가 API 키를 거절했습니다. DURE_TAVILY_API_KEY를 확인하세요.",
        "en": "Tavily refused the API key. Check DURE_TAVILY_API_KEY.",
    },
    "search_failed": {
        "ko": "웹 검색 서비스가 올바르게 답하지 않았습니다: {reason}",
        "en": "The web search service did not answer properly: {reason}",
    },
}


class WebError(ToolError):
    """One of `PROBLEMS`, with the parameters of its sentence."""

    code = "web_error"
    status = 502

    def __init__(self, problem: str, **parameters: Any) -> None:
        self.problem = problem
        self.ko, self.en = PROBLEMS[problem]["ko"], PROBLEMS[problem]["en"]
        super().__init__(problem=problem, **parameters)


class AddressRefused(WebError):
    """The address is not one that may be opened."""

    code = "address_refused"
    status = 403


class PageUnavailable(WebError):
    """The page could not be fetched."""

    code = "page_unavailable"


class PageUnreadable(WebError):
    """The page came, but holds nothing that can be read."""

    code = "page_unreadable"
    status = 422


class SearchFailed(WebError):
    code = "search_failed"


class LibraryMissing(WebError):
    """An optional library is not installed."""

    code = "library_missing"
    status = 501
