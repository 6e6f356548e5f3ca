"""Modules put together work as they do apart."""

import shutil
import subprocess
from pathlib import Path

import pytest

from dure.web.bundle import bundled

FILES = {
    "js/main.js": """import { twice as double } from "./sums.js";
import { kept } from "./kept.js";

export const shown = () => double(kept.n);
""",
    "js/sums.js": """import { kept } from "./kept.js";
import { half } from "./vendored.js";

export function twice(n) {
  kept.n += 1;
  return half(4 * n);
}
""",
    "js/kept.js": """// Told to whoever reads.
/** Also
    over lines. */
export const kept = { n: 20, at: "https://a.b" };
export class Other {}
""",
    "js/vendored.js": "const a=n=>n/2;export{a as half};\n",
    "js/views/late.js": """import { kept } from "../kept.js";
import { more } from "./more.js";

export const open = () => kept.n + more;
""",
    "js/views/more.js": "export const more = 100;\n",
    "css/main.css": '@import "./a.css";\n@import "./b.css";\n',
    "css/a.css": "a { color: red }\n",
    "css/b.css": "b { color: blue }\n",
}


def test_modules_share_what_they_shared(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("modules are run with node")
    found = bundled({name: text.encode() for name, text in FILES.items()})
    assert found["js/main.js"].count(b"import") == 1
    assert b"Told" not in found["js/main.js"]
    assert b"over lines" not in found["js/main.js"]
    assert b'"https://a.b"' in found["js/main.js"]
    assert found["css/main.css"] == b"a { color: red }\n\nb { color: blue }\n\n"
    assert found["js/views/more.js"] == FILES["js/views/more.js"].encode()
    (tmp_path / "package.json").write_text('{"type": "module"}')
    run = 'import { js_main_js } from "./js/main.js"; import { open } from "./js/views/late.js";'
    (tmp_path / "run.js").write_text(f"{run} console.log(open(), js_main_js.shown(), open());")
    for name, data in found.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    ended = subprocess.run([node, tmp_path / "run.js"], capture_output=True, text=True, check=True)
    # The view sees what the first script changed: 20 at first, 21 afterwards.
    assert ended.stdout == "120 40 121\n"


def test_what_is_not_there_cannot_be_imported() -> None:
    with pytest.raises(KeyError):
        bundled({"js/main.js": b'import { a } from "./gone.js";\n'})
