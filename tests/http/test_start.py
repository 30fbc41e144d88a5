"""While sets are loaded: alive, not ready, and telling how far it has come."""

import http.client
import json
import os
import socket
import threading

from daemon import Daemon
from stored import BOX, everything, open_store, scene
from wire import eventually

HOST = "127.0.7.1"


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def ask(port, path, method="GET", body=None):
    """Status, headers and JSON; None where nobody listens yet."""
    connection = http.client.HTTPConnection(HOST, port, timeout=30)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        reply = connection.getresponse()
        return reply.status, reply.headers, json.loads(reply.read())
    except ConnectionRefusedError:
        return None
    finally:
        connection.close()


class Starting(threading.Thread):
    """A daemon that cannot go on with its start before the test writes what --load reads: a pipe."""

    def __init__(self, folder, *flags):
        super().__init__()
        self.pipe, self.port, self.gjkd = folder / "pipe", free_port(), None
        os.mkfifo(self.pipe)
        self.flags = [*flags, "--load", str(self.pipe)]
        self.start()
        # The daemon waits here, half started.
        assert eventually(lambda: ask(self.port, "/livez") is not None)

    def run(self):
        self.gjkd = Daemon(*self.flags, listen=("--listen", f"{HOST}:{self.port}"))

    def feed(self, lines):
        self.pipe.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.join()
        return self.gjkd


def test_readiness_tells_how_far_loading_has_come(open_store, tmp_path):
    before = open_store(tmp_path / "data")
    for name, count in (("a", 3), ("b", 4000), ("c", 0)):
        before.store(name, scene({f"s{i}": BOX | {"position": [i, 0]} for i in range(count)}))
    kept = everything(before)
    before.stop()
    starting = Starting(tmp_path, "--data-dir", str(tmp_path / "data"))
    try:
        wanted = "3 with all their shapes and 4003 shapes so far"
        assert eventually(lambda: wanted in ask(starting.port, "/readyz")[2]["detail"])
        status, headers, problem = ask(starting.port, "/readyz")
        assert status == 503 and problem["code"] == "not-ready" and "Retry-After" in headers
        assert ask(starting.port, "/livez")[0] == 200
        assert ask(starting.port, "/v1")[0] in (200, 503)
        # Nothing is answered from half of the sets, and nothing is written over them.
        for method, path, body in (("GET", "/v1/sets", None), ("GET", "/v1/sets/a", None),
                                   ("PUT", "/v1/sets/a", '{"dimension": 2}')):
            status, _, problem = ask(starting.port, path, method, body)
            assert status == 503 and problem["code"] == "not-ready", (method, path, problem)
    finally:
        daemon = starting.feed([scene({"x": BOX}) | {"name": "late"}])
    assert daemon.get("/readyz").json() == {"status": "ok"}
    found = everything(daemon)
    assert found.pop("late")[1]["shapes"].keys() == {"x"} and found == kept
    daemon.stop()
