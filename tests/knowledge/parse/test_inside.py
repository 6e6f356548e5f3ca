"""Mails and archives, with the files in them."""

import io
import zipfile
from email.message import EmailMessage
from functools import partial

import pytest

from dure.knowledge.parse import Unreadable, join, kinds

parse = partial(kinds.parse, "archive")


def mail(*attached: tuple[str, bytes], html: str = "") -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "견적 문의", "김두레 <kim@example.com>", "sales@example.com"
    if html:
        message.set_content(html, subtype="html")
    else:
        message.set_content("견적서를 보내 드립니다.")
    for name, data in attached:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def test_a_mail_with_what_is_attached(files):
    sheet = files.xlsx({"견적": [["품목", "단가"], ["센서", 12000]]})
    parsed = kinds.parse("mail", mail(("견적.xlsx", sheet), ("잡음.bin", b"\x89PNG" + bytes(range(32)) * 9)))
    text = join(parsed).text
    assert parsed.title == "견적 문의"
    assert text.startswith("Subject: 견적 문의\nFrom: 김두레 <kim@example.com>\nTo: sales@example.com")
    assert "견적서를 보내 드립니다." in text
    assert "품목: 센서 | 단가: 12000" in text
    headings = [words for _, _, words in join(parsed).headings]
    assert headings == ["견적.xlsx", "[견적]", "잡음.bin"]
    assert "읽을 수 없" in text.split("\n잡음.bin\n", 1)[1]


def test_a_mail_in_html():
    text = join(kinds.parse("mail", mail(html="<h1>공지</h1><p>내일 <b>휴무</b>입니다."))).text
    assert text.endswith("공지\n내일 휴무입니다.")


@pytest.mark.parametrize(
    ("charset", "written", "words"),
    [
        ("euc-kr", "euc-kr", "차차 나아집니다"),
        ("ks_c_5601-1987", "cp949", "똠방각하 펲시콜라"),
        ("x-windows-949", "cp949", "똠방각하 펲시콜라"),
        ("iso-8859-1", "iso-8859-1", "café à neuf heures"),
    ],
)
def test_a_mail_is_read_in_the_charset_that_it_names(charset, written, words):
    page = f'<html><head><meta charset="{charset}"></head><body><p>{words}</p></body></html>'
    for kind, body in (("plain", words), ("html", page)):
        head = f"Subject: x\nContent-Type: text/{kind}; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
        assert words in join(kinds.parse("mail", head.encode() + body.encode(written))).text


def test_chapters_of_a_book_may_have_names_with_blanks():
    book = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": b'<c><rootfile full-path="in/b.opf"/></c>',
        "in/b.opf": b'<p><item id="1" href="ch%201.xhtml"/><itemref idref="1"/></p>',
        "in/ch 1.xhtml": "<p>첫 장이다.</p>".encode(),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in book.items():
            archive.writestr(name, data)
    assert join(kinds.parse("epub", packed.getvalue())).text == "첫 장이다."


def test_an_archive_of_archives_ends(files):
    data = files.zip({"a.txt": "맨 안쪽이다.".encode()})
    for _ in range(4):
        data = files.zip({"zip.zip": data, "b.txt": "겉이다.".encode()})
    text = join(parse(data)).text
    assert text.count("겉이다.") == 3
    assert "맨 안쪽" not in text


def test_korean_names_of_old_archives_and_hidden_files():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("규정.txt".encode("cp949").decode("cp437"))
        archive.writestr(info, "연차는 15일이다.")
        archive.writestr("__MACOSX/._a.txt", "x")
        archive.writestr(".hidden", "x")
    # zipfile marks names beyond ASCII as UTF-8: as old programs wrote it, unmarked.
    data = packed.getvalue().replace(info.filename.encode(), info.filename.encode("cp437"))
    with zipfile.ZipFile(io.BytesIO(packed.getvalue())) as archive:
        assert archive.infolist()[0].flag_bits & 0x800
    assert join(parse(packed.getvalue())).text.endswith("연차는 15일이다.")
    assert len(data) < len(packed.getvalue())


def test_a_bomb_and_a_password_are_refused(files):
    with pytest.raises(Unreadable) as caught:
        parse(files.bomb("a.txt"))
    assert caught.value.problem == "too_big"
