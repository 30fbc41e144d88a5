"""Starts the built gjkd on a port of its own and stops it as an operator would."""

import os
import re
import select
import signal
import subprocess
import tempfile
import time

import requests

import contract
import over_stream

BINARY = os.environ.get("GJKD_BINARY", "build/release/server/gjkd")
LISTENING = re.compile(rb"gjkd listening on (https?)://(\d+\.\d+\.\d+\.\d+):(\d+)/\n")
# Bounds of what would otherwise hang. They are wall time, and on a machine that others keep busy a
# thing that takes a second may take a hundred.
START_S = 60
STOP_S = 60
REQUEST_TIMEOUT = "120s"  # the daemon's, where a test has no other; by default it is 30s
REQUEST_S = 150  # more than that, so that a test sees what the daemon says
KEPT_S = 20  # an idle connection is used again; the daemon closes it after 60
TROUBLE = re.compile(
    rb"Sanitizer|runtime error|assert|Assertion|stack smashing|double free|corrupted", re.I)


def is_sanitized():
    with open(BINARY, "rb") as file:
        return re.search(rb"__[at]san_init", file.read()) is not None


def clean_environment(**extra):
    """This process's environment without settings of gjkd, and then `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GJKD_")}
    return kept | extra


def run_to_end(*flags, env=None, timeout=START_S):
    """Runs gjkd until it ends by itself: what is refused, --version and the like."""
    return subprocess.run([BINARY, *flags], env=clean_environment(**(env or {})), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)


class Daemon:
    """One running gjkd. `call` speaks to it over a kept connection. When it ends it closes its
    listener at once, unless `env` has another GJKD_DRAIN_DELAY ("" for the ordinary one). `under`
    is a command that runs it, and becomes it; `binary` may be that of another version."""

    def __init__(self, *flags, env=None, listen=("--listen", "127.0.0.1:0"), under=(), binary=None):
        env = {"GJKD_DRAIN_DELAY": "0"} | (env or {})
        if not any("--config" in flag for flag in flags):  # a variable has precedence over a file
            env = {"GJKD_REQUEST_TIMEOUT": REQUEST_TIMEOUT} | env
        self.signalled = self.closed = False
        self._stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*under, binary or BINARY, *listen, *flags], env=clean_environment(**env),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._stderr)
        self.line = self._first_line()
        match = LISTENING.fullmatch(self.line)
        if not match:
            self.process.kill()
            self.process.wait()
            errors = self.stderr()
            self.process.stdout.close()
            self._stderr.close()
            raise AssertionError(f"no listening line but {self.line!r}, {errors!r}")
        self.host, self.port = match[2].decode(), int(match[3])
        self.url = f"{match[1].decode()}://{self.host}:{self.port}"
        self.session = self.new_session()
        self.last_call = time.monotonic()

    def _first_line(self):
        deadline = time.monotonic() + START_S
        line = b""
        while not line.endswith(b"\n") and time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                piece = os.read(self.process.stdout.fileno(), 4096)
                if not piece:
                    break
                line += piece
        return line

    @staticmethod
    def new_session():
        session = requests.Session()
        session.trust_env = False  # no proxy stands between
        session.headers["Accept-Encoding"] = "identity"  # a packed answer has a tag of its own
        if over_stream.enabled:
            session.mount("http://", over_stream.StreamAdapter())
        return session

    def stderr(self):
        self._stderr.seek(0)
        return self._stderr.read()

    def processor_seconds(self):
        """What it has computed so far: of a busy machine's time only its own."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            return sum(int(x) for x in stat.read().rsplit(")", 1)[1].split()[11:13]) / 100

    def call(self, method, path, session=None, **options):
        options.setdefault("timeout", REQUEST_S)
        if time.monotonic() - self.last_call > KEPT_S:
            self.session.close()  # its connection: the next request opens another
        self.last_call = time.monotonic()
        reply = (session or self.session).request(method, self.url + path, **options)
        asked = reply.request
        sent = asked.body if isinstance(asked.body, (bytes, str)) else b""
        contract.check(method, asked.path_url, asked.headers, sent, reply.status_code,
                       reply.headers, reply.content)
        return reply

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def put(self, path, body, **options):
        return self.call("PUT", path, json=body, **options)

    def post(self, path, body, **options):
        return self.call("POST", path, json=body, **options)

    def ask(self, path, body, **options):
        """POST that must be answered with 200; the answer."""
        reply = self.post(path, body, **options)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def store(self, name, body):
        """PUT of a set that must be accepted; its summary."""
        reply = self.put(f"/v1/sets/{name}", body)
        assert reply.status_code in (200, 201), reply.text
        return reply.json()

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.signalled = True

    def wait(self, timeout=STOP_S):
        return self.process.wait(timeout)

    def close(self):
        """Lets go of the files of a daemon that has ended."""
        self.session.close()
        self.process.stdout.close()
        self._stderr.close()
        self.closed = True

    def stop(self):
        """SIGTERM, and what a clean end looks like."""
        self.session.close()
        if not self.signalled:
            self.signal()
        try:
            code = self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("gjkd did not stop within the time") from None
        rest = self.process.stdout.read()
        errors = self.stderr()
        self.close()
        assert code == 0, (code, errors.decode(errors="replace"))
        assert not TROUBLE.search(errors), errors.decode(errors="replace")
        assert rest == b"", "the listening line is the only line of standard output"
