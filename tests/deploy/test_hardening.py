"""The binary of this machine, looked at as the image's is (tests/image/check.sh)."""

import os
import sys

import pytest

from tools import DEPLOY

sys.path.insert(0, str(DEPLOY.parent / "tests/support"))
import hardening  # noqa: E402

BINARY = os.environ.get("GJKD_BINARY", str(DEPLOY.parent / "build/release/server/gjkd"))


@pytest.mark.skipif(not os.path.exists(BINARY), reason="the release is not built")
def test_the_binary_is_hardened():
    assert [what for what, so in hardening.properties(BINARY) if not so] == []
