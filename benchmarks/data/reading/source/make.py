"""Typesets the papers: .tex with pdflatex, .html with headless Chromium.

English HTML gets soft hyphens (pyphen), so that words break at line ends
as in print. Run: python make.py [stem ...]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pyphen

HERE = pathlib.Path(__file__).parent
OUT = HERE.parent
DIC = pyphen.Pyphen(lang="en_US")


def shy(match):
    # none beside an f: it would split a ligature and stay in the text
    return re.sub("(?<=f)\u00ad|\u00ad(?=f)", "", DIC.inserted(match[0], "\u00ad"))


def hyphenate(html):
    head, body = html.split("<body>", 1)
    parts = re.split(r"(<svg.*?</svg>|<[^>]+>)", body, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"[A-Za-z]{7,}", shy, parts[i])
    return head + "<body>" + "".join(parts)


def main(stems):
    with tempfile.TemporaryDirectory() as tmp:
        for src in sorted(HERE.glob("*.tex")) + sorted(HERE.glob("*.html")):
            if stems and src.stem not in stems:
                continue
            pdf = OUT / (src.stem + ".pdf")
            if src.suffix == ".tex":
                for _ in range(2):
                    subprocess.run(
                        ["pdflatex", "-interaction=nonstopmode", "-output-directory", tmp, src.name],
                        cwd=HERE,
                        check=True,
                        stdout=subprocess.DEVNULL,
                    )
                shutil.copy(pathlib.Path(tmp, src.stem + ".pdf"), pdf)
                continue
            text = src.read_text("utf-8")
            if '<html lang="en"' in text:
                text = hyphenate(text)
            page = pathlib.Path(tmp, "page.html")
            page.write_text(text, "utf-8")
            subprocess.run(
                [
                    "chromium",
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--no-pdf-header-footer",
                    f"--user-data-dir={tmp}/profile",
                    f"--print-to-pdf={pdf}",
                    page.as_uri(),
                ],
                check=True,
                stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )


main(sys.argv[1:])
