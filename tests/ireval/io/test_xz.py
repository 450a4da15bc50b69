"""xz files: read like Python's own, but for those that need more memory than anybody's file does."""

import lzma

import pytest

from ireval.io.files import BadFile, open_file

MIB = 2**20


def unpacked(path):
    with open_file(path) as stream:
        return stream.read()


def packed(text, **options):
    return lzma.compress(text, **options)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (packed(b"1 Q0 d1 1 1 t\n"), b"1 Q0 d1 1 1 t\n"),
        (packed(b""), b""),
        (packed(b"one ") + packed(b"two"), b"one two"),
        (packed(b"one ") + b"\0" * 8 + packed(b"two") + b"\0" * 2**20, b"one two"),
        (packed(bytes(range(256)) * 40_000, preset=9 | lzma.PRESET_EXTREME), bytes(range(256)) * 40_000),
    ],
)
def test_one_stream_or_several_are_read(tmp_path, content, text):
    (tmp_path / "a.xz").write_bytes(content)
    assert unpacked(tmp_path / "a.xz") == text


@pytest.mark.parametrize("cut", [1, 20, 5000])
def test_a_file_that_is_cut_short_is_no_shorter_file(tmp_path, cut):
    import random

    (tmp_path / "a.xz").write_bytes(packed(random.Random(1).randbytes(20_000))[:-cut])
    with pytest.raises(BadFile, match="damaged or cut short"):
        unpacked(tmp_path / "a.xz")


def test_a_file_may_not_ask_for_more_memory_than_files_need(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 256 * MIB, "mode": lzma.MODE_FAST, "mf": lzma.MF_HC3, "nice_len": 273}]
    small = packed(b"x" * 1000, filters=[{**filters[0], "dict_size": MIB}])
    (tmp_path / "small.xz").write_bytes(small)
    assert unpacked(tmp_path / "small.xz") == b"x" * 1000
    (tmp_path / "large.xz").write_bytes(packed(b"x" * 1000, filters=filters))
    with pytest.raises(BadFile, match="Memory usage limit"):
        unpacked(tmp_path / "large.xz")
