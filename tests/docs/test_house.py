"""The documents of the house are true: its rooms are listed."""

import re
from dataclasses import fields

from fixtures.reader.blocks import ROOT, text_of

from dure.pack import Pack


def test_every_room_is_listed() -> None:
    rows = re.findall(r"^\| (`.*?) \|", text_of("docs/architecture.md"), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`([\w./]+)`", row)}
    house = ROOT / "src" / "dure"
    rooms = {f"{path.name}/" for path in house.iterdir() if path.is_dir() and path.name != "__pycache__"}
    files = {path.name for path in house.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert listed == rooms | files


def test_every_pack_is_listed() -> None:
    (row,) = re.findall(r"^\| `packs/` \| (.*) \|$", text_of("docs/architecture.md"), re.MULTILINE)
    packs = {path.parent.name for path in (ROOT / "src" / "dure" / "packs").glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)`", row)) == packs


def test_the_face_of_a_pack_is_listed() -> None:
    part = text_of("docs/packs.md").partition("| field |")[2].partition("\n\n")[0]
    listed = {name for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert listed == {each.name for each in fields(Pack)}
