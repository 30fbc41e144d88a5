"""A client beside an attack: asks a small thing again and again, each time on a new connection, so that
it comes to any loop. In a process of its own, so that the attacker's Python does not delay it."""

import http.client
import json
import os
import select
import subprocess
import sys
import time

if __name__ != "__main__":
    import pytest

    from daemon import Daemon

    FULL = bool(os.environ.get("GJKD_FULL"))  # the machine is quiet enough to time answers
    timed = pytest.mark.plain


class Probe:
    """with Probe(daemon) as probe: ...; then probe.ms has the latencies and probe.statuses how often
    each status, or error, was seen. `host` is the address that it asks from. It asks as soon as it is
    made, so make it before the attack."""

    def __init__(self, daemon, path="/livez", method="GET", body=None, host="127.0.0.1",
                 pause=0.002, headers=None):
        fields = ({"Content-Type": "application/json"} if body else {}) | (headers or {})
        what = [daemon.host, daemon.port, method, path, body, fields, host, pause]
        self.process = subprocess.Popen([sys.executable, __file__, json.dumps(what)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        out, _ = self.process.communicate(timeout=100)
        self.ms, self.statuses = json.loads(out)

    def quantile(self, part):
        return sorted(self.ms)[min(len(self.ms) - 1, int(len(self.ms) * part))]


def judge(attempt, limit_ms):
    """Were the probes that attempt() returns all answered with 200, and each while the attempt went on? With
    --full also within the limit. Beside it an idle daemon is asked then: where that has to wait, too, the
    machine is busy, and the attempt tells nothing."""
    for _ in range(3):
        if not FULL:
            probes = attempt()
            counts = [len(probe.ms) for probe in probes]
            assert {status for probe in probes for status in probe.statuses} == {"200"}
            if min(counts) > 0:
                return
            continue
        idle = Daemon("--io-threads", "1", "--workers", "1")
        with Probe(idle) as control:
            probes = attempt()
        idle.stop()
        slowest = max(max(probe.ms) for probe in probes)
        statuses = {status for probe in probes for status in probe.statuses}
        if (slowest <= limit_ms and statuses == {"200"}) or max(control.ms) <= limit_ms / 5:
            assert slowest <= limit_ms and statuses == {"200"}
            return
    assert FULL, f"others were answered {counts} times"
    pytest.skip("the machine is too busy to time anything")


def ask(server, method, path, body, fields, source):
    connection = http.client.HTTPConnection(*server, timeout=60, source_address=(source, 0))
    try:
        connection.request(method, path, body, fields)
        reply = connection.getresponse()
        reply.read()
        return reply.status
    except OSError as error:
        return type(error).__name__
    finally:
        connection.close()


def main():
    host, port, method, path, body, fields, source, pause = json.loads(sys.argv[1])
    ms, statuses = [], {}
    ask((host, port), method, path, body, fields, source)
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        start = time.monotonic()
        status = str(ask((host, port), method, path, body, fields, source))
        ms.append((time.monotonic() - start) * 1e3)
        statuses[status] = statuses.get(status, 0) + 1
        time.sleep(pause)
    print(json.dumps([ms, statuses]))


if __name__ == "__main__":
    main()
