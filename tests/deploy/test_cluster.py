"""deploy/cluster.sh: up, its printed lines work as they stand, a node that dies and one that is replaced
lose nothing, a second one is refused, and Ctrl-C ends it without leaving anything."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading

import pytest
import requests

from daemon import BINARY, run_to_end
from tools import DEPLOY, needs
from wire import eventually

pytestmark = [needs("haproxy")]
START_S = 120
PORTS = 6


def free_ports():
    """The first of six ports in a row that nobody uses on any of the three addresses."""
    for first in range(29000 + os.getpid() % 1000, 32000, PORTS):
        try:
            for port in range(first, first + PORTS):
                for host in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
                    with socket.socket() as probe:
                        probe.bind((host, port))
            return first
        except OSError:
            continue
    raise AssertionError("no free ports")


def settings(first, folder):
    return {**os.environ, "CLUSTER_PORT": str(first), "CLUSTER_FOLDER": str(folder),
            "GJKD_BINARY": str(pathlib.Path(BINARY).resolve())}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    said = run_to_end("--nats", "nats://127.0.0.1", "--cluster", "try", "--check-config").stderr
    if "not available" in said:
        pytest.skip(said.strip())
    folder, first = tmp_path_factory.mktemp("cluster"), free_ports()
    with open(folder / "said", "wb") as said:
        process = subprocess.Popen(
            # Where the tests run in the background SIGINT is ignored, and bash would leave it so.
            ["env", "--default-signal=INT", DEPLOY / "cluster.sh"], stdout=said,
            stderr=subprocess.STDOUT, start_new_session=True, env=settings(first, folder / "kept"))
    try:
        def told():
            return "a server of NATS" in (folder / "said").read_text() or process.poll() is not None
        assert eventually(told, START_S) and process.poll() is None, (folder / "said").read_text()
        process.folder, process.first = folder, first
        yield process
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: to all that the terminal started
        assert process.wait(60) == 0
        assert not any(is_running(pid_of(process, file.stem))
                       for file in (folder / "kept").glob("*.pid"))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def pid_of(cluster, name):
    return int((cluster.folder / "kept" / f"{name}.pid").read_text())


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Writer(threading.Thread):
    """Counts up in a set through HAProxy, under the condition that nobody else has written."""

    def __init__(self, url):
        super().__init__()
        self.url, self.over, self.acked, self.refused = url, threading.Event(), 0, 0

    def run(self):
        with requests.Session() as session:
            while not self.over.is_set():
                try:
                    reply = session.patch(self.url, json={"meta": self.acked + 1}, timeout=30)
                except requests.ConnectionError:
                    continue
                self.acked += reply.status_code == 200
                self.refused += reply.status_code not in (200, 502, 503, 504)
                self.over.wait(0.01)


def test_the_lines_it_prints_work(cluster):
    text = (cluster.folder / "said").read_text()
    lines = [line.strip() for line in text.splitlines() if re.match(r"  (curl|kill) ", line)]
    assert len(lines) == 5
    for line in lines[:2]:
        answer = subprocess.run(["bash", "-c", line + " --fail"], capture_output=True, text=True,
                                timeout=60)
        assert answer.returncode == 0 and json.loads(answer.stdout)["name"] == "yard", line
    front = f"http://127.0.0.1:{cluster.first}"
    assert requests.put(f"{front}/v1/sets/count", json={"dimension": 2, "meta": 0},
                        timeout=30).status_code == 201
    writer = Writer(f"{front}/v1/sets/count")
    writer.start()
    try:
        for line, name in ((lines[2], "gjkd-2"), (lines[4], "gjkd-3")):
            assert eventually(lambda: writer.acked > 5, 60)
            before = pid_of(cluster, name)
            subprocess.run(["bash", "-c", line], check=True, timeout=60)
            assert eventually(lambda: pid_of(cluster, name) != before, 60), "it is started again"
            host = f"127.0.0.{name[-1]}"
            assert eventually(lambda: ready(f"http://{host}:{cluster.first + 1}/readyz"), 60)
            target = writer.acked + 5
            assert eventually(lambda: writer.acked > target, 60)
    finally:
        writer.over.set()
        writer.join()
    assert writer.refused == 0
    # What was acknowledged is there, on every node; one more may have happened unheard.
    for i in (1, 2, 3):
        url = f"http://127.0.0.{i}:{cluster.first + 1}/v1/sets/count"
        assert eventually(lambda: requests.get(url, timeout=30).json()["meta"] >= writer.acked, 60)
        assert requests.get(url, timeout=30).json()["meta"] <= writer.acked + 1
    assert subprocess.run(["bash", "-c", lines[3] + " --fail"], capture_output=True,
                          timeout=60).returncode == 0


def ready(url):
    try:
        return requests.get(url, timeout=5).json() == {"status": "ok"}
    except requests.RequestException:
        return False


def test_a_server_of_nats_is_away_until_it_is_told_to_come_back(cluster):
    text = (cluster.folder / "said").read_text()
    leave, back = re.findall(r"^  ((?:touch|rm) .*)$", text, re.MULTILINE)
    url = f"http://127.0.0.1:{cluster.first}/v1/sets/away"

    def healthy():
        try:
            return requests.get(f"http://127.0.0.1:{cluster.first + 4}/healthz", timeout=5).ok
        except requests.RequestException:
            return False
    before = pid_of(cluster, "nats-1")
    subprocess.run(["bash", "-c", leave], check=True, timeout=60)
    assert eventually(lambda: not is_running(before), 60)
    # Two of three keep the log: writes go on, at once or when another leads it.
    assert eventually(lambda: requests.put(url, json={"dimension": 2}, timeout=60).ok, 60)
    assert pid_of(cluster, "nats-1") == before and not healthy()
    subprocess.run(["bash", "-c", back], check=True, timeout=60)
    assert eventually(healthy, 60)
    assert eventually(lambda: requests.get(url, timeout=30).ok, 60), "another node may answer, and lag"


def test_a_second_one_is_refused(cluster, tmp_path):
    """Beside the first its checks would be answered by the first."""
    for folder, said in ((cluster.folder / "kept", "another cluster runs in"),
                         (tmp_path, "listens on 127.0.0.1")):
        ended = subprocess.run([DEPLOY / "cluster.sh"], env=settings(cluster.first, folder),
                               capture_output=True, text=True, timeout=60)
        assert ended.returncode == 1 and said in ended.stderr, ended.stderr


def test_a_backup_goes_into_a_new_cluster(cluster):
    """As the operators' page says: export from one node, load into a node of another cluster."""
    url = f"http://127.0.0.1:{cluster.first + 1}"
    kept = {"dimension": 2, "shapes": {"a": {"type": "circle", "radius": 2}}}
    # The test before has moved the log's lead: a write may be refused by 503 for a moment.
    assert eventually(lambda: requests.put(f"{url}/v1/sets/kept", timeout=30, json=kept).ok, 60)
    backup = cluster.folder / "backup.ndjson"
    backup.write_text(requests.get(f"{url}/v1/export", timeout=30).text)
    servers = ",".join(f"nats://127.0.0.{i}:{cluster.first + 2}" for i in (1, 2, 3))
    port = cluster.first + 1
    process = subprocess.Popen([BINARY, "--listen", f"127.0.0.4:{port}", "--nats", servers, "--cluster",
                                "restored", "--cluster-init", "--load", str(backup)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: ready(f"http://127.0.0.4:{port}/readyz"), 60)
        found = requests.get(f"http://127.0.0.4:{port}/v1/sets/kept", timeout=30).json()
        assert found["shapes"]["a"]["radius"] == 2
        names = {each["name"] for each in
                 requests.get(f"http://127.0.0.4:{port}/v1/sets", timeout=30).json()["sets"]}
        assert {"kept"} <= names
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()
