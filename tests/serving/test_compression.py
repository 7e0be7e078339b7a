"""Compression: what clients ask for with `Accept-Encoding`, and what they get."""

import zlib
from collections.abc import Callable

import backports.zstd as zstd
import brotli
from hypothesis import given, strategies as st

from masthead.serving.compression import CODINGS, accepted_coding, compress, compress_file
from tests.support.cases import for_each

DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstd.decompress,
    "br": brotli.decompress,
    "gzip": lambda body: zlib.decompress(body, 31),
}


@for_each(
    "header, coding",
    [
        ("", ""),
        ("gzip", "gzip"),
        ("br", "br"),
        ("zstd", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("GZIP", "gzip"),
        ("x-gzip", "gzip"),
        ("deflate", ""),
        ("*", "zstd"),
        ("*;q=0, gzip", "gzip"),
        ("zstd;q=0, br;q=0, *", "gzip"),
        ("gzip;q=0", ""),
        ("gzip;q=0.000", ""),
        ("zstd;q=0.5, gzip;q=0.8", "gzip"),
        ("zstd ; q=0.8 , gzip ; Q=0.5", "zstd"),
        ("identity, gzip;q=0.5", ""),
        ("identity;q=0.5, gzip", "gzip"),
        ("gzip;q=1.000", "gzip"),
        ("gzip;q=2", ""),
        ("gzip;level=9", ""),
        ("gzip;q=high, br", "br"),
        (",, gzip ,", "gzip"),
        ("\xff\xfe", ""),
    ],
)
def test_the_coding_with_the_highest_value_is_chosen(header: str, coding: str) -> None:
    assert accepted_coding(header) == coding


@given(st.text(max_size=60))
def test_any_header_is_read(header: str) -> None:
    assert accepted_coding(header) in ("", *CODINGS)


@given(st.binary(max_size=3_000))
def test_what_is_compressed_is_the_body(body: bytes) -> None:
    assert DECODERS.keys() == set(CODINGS)
    for coding, decode in DECODERS.items():
        assert decode(compress(body, coding)) == body
        assert decode(compress_file(body, coding)) == body
