from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.errors import Malformed
from wire.paging import decode_page, encode_page


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 2**63 - 1))
def test_a_position_is_read_back(text, number):
    assert decode_page(encode_page(text, number), str, int) == [text, number]


def test_no_page_is_the_start():
    assert decode_page(None, str) is None


@pytest.mark.parametrize("page", ["", "?", "AAAA", "e30", "bnVsbA", "WzFd", "W10", "é", "A" * 5])
def test_anything_else_is_malformed(page):
    with pytest.raises(Malformed, match="page"):
        decode_page(page, str)


@given(st.text(max_size=50))
def test_no_text_gets_past_as_a_failure(page):
    with suppress(Malformed):
        decode_page(page, str)
