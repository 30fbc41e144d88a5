"""Header lines that are folded (RFC 9112, section 5.2): two readers of one may see two messages."""

import pytest

from wire import Wire

pytestmark = pytest.mark.http

FOLLOWING = b"GET /v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("blank", [b" ", b"\t", b"  \t "], ids=["blank", "tab", "several"])
@pytest.mark.parametrize("field", [
    b"Content-Len: 43\r\n%sgth\r\n", b"Content-Length: 43\r\n%sx\r\n",
    b"Transfer-Enc: chunked\r\n%soding\r\n", b"X: a\r\n%sContent-Length: 5\r\n",
    b"X:\r\n%sy\r\n", b"X:   a\r\n%sb\r\n%sc\r\n", b"X: a\r\n%s\r\n"])
def test_a_folded_line_is_refused_and_ends_the_connection(gjkd, field, blank):
    with Wire(gjkd) as wire:
        wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + field.replace(b"%s", blank)
                  + b"\r\n" + FOLLOWING)
        reply = wire.reply()
        assert reply.status == 400, reply.text
        assert wire.closes(), "what follows the head is not read as a request"


@pytest.mark.parametrize("field", [b"X:a", b"X: a", b"X:  \t a", b"X:", b"X: ", b"X: a b",
                                   b"X: " + b"a" * 2000])
def test_lines_that_only_have_blanks_in_them_are_taken(gjkd, field):
    with Wire(gjkd) as wire:
        for _ in range(2):
            wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n\r\n")
            assert wire.reply().status == 200
