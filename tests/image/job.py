"""The main job against a daemon on 127.0.0.1:8080, and its end.

   job.py PID DRAIN-SECONDS

Stores sets, asks every kind of question, reads the health of the daemon; then sends SIGTERM while
requests are in flight, which are answered. Prints a line for each thing that went well.
"""

import http.client
import json
import math
import os
import signal
import socket
import sys
import time

HOST, PORT = "127.0.0.1", 8080
WAIT_S = 240  # on a busy machine, where workers, which are nice, get little of it


def call(method, path, body=None):
    connection = http.client.HTTPConnection(HOST, PORT, timeout=WAIT_S)
    text = None if body is None else json.dumps(body)
    connection.request(method, path, text, {"Content-Type": "application/json"} if text else {})
    reply = connection.getresponse()
    data = reply.read()
    connection.close()
    return reply.status, data


def ask(path, body):
    status, data = call("POST", path, body)
    assert status == 200, (path, status, data)
    return json.loads(data)


def told(what):
    print(f"  ok    {what}", flush=True)


def main_job():
    shapes = {"player": {"type": "capsule", "a": [0, 0], "b": [0, 2], "radius": 0.5},
              "crate": {"type": "box", "half_extents": [1, 1], "position": [1.25, 0]},
              "wall": {"type": "polygon", "vertices": [[0, 0], [1, 0], [1, 8], [0, 8]],
                       "position": [10, -4]}}
    status, data = call("PUT", "/v1/sets/level", {"dimension": 2, "shapes": shapes})
    assert status == 201 and json.loads(data)["shapes"] == 3, data
    assert json.loads(call("GET", "/v1/sets/level")[1])["shapes"]["wall"]["type"] == "polygon"
    told("stores a set and gives it back")
    hit = ask("/v1/sets/level/detect", {"a": "player", "b": "crate"})
    assert hit["colliding"] and math.isclose(hit["depth"], 0.25, rel_tol=1e-12), hit
    assert [p["a"] for p in ask("/v1/sets/level/detect", {})["pairs"]] == ["crate"]
    near = ask("/v1/sets/level/distance", {"a": "player", "limit": 2})["nearest"]
    assert [n["id"] for n in near] == ["crate", "wall"] and near[1]["distance"] == 9.5, near
    ray = ask("/v1/sets/level/raycast", {"origin": [5, 0], "direction": [1, 0]})["hits"][0]
    assert ray["id"] == "wall" and ray["distance"] == 5, ray
    cast = ask("/v1/sets/level/cast", {"shape": {"type": "circle", "radius": 1, "position": [5, 0]},
                                       "translation": [8, 0]})["hits"][0]
    assert cast["id"] == "wall" and cast["fraction"] == 0.5, cast
    told("answers every kind of question")
    status, data = call("PATCH", "/v1/sets/level", {"history": {"ticks": 8}, "shapes": {
        "crate": {"position": [2.5, 0]}, "wall": None}})
    assert status == 200 and json.loads(data)["shapes"] == 2, data
    for tick, x in ((1, 2.5), (2, 4.5)):
        moved = {"shapes": {"crate": {"position": [x, 0]}}}
        assert call("PUT", f"/v1/sets/level/ticks/{tick}", moved)[0] == 201
    then = ask("/v1/sets/level/distance", {"a": "player", "b": "crate", "at": {"tick": 1.5}})
    assert then["distance"] == 2 and then["tick"] == 1.5, then
    verdict = ask("/v1/sets/level/hit", {
        "at": {"tick": 2}, "claim": {"id": "crate"},
        "ray": {"origin": [20, 0], "direction": [-1, 0]}})
    assert verdict["verdict"] == "confirmed" and verdict["hit"]["distance"] == 14.5, verdict
    told("changes a set and looks back")
    results = ask("/v1/sets/level/batch", {"queries": [
        {"op": "distance", "a": "player", "b": "crate"}, {"op": "detect", "a": "nobody"}]})["results"]
    assert results[0]["distance"] == 3 and results[1]["error"]["code"] == "shape-not-found", results
    told("answers a batch, each query for itself")
    status, data = call("POST", "/v1/sets/level/detect", {"a": "nobody"})
    assert status == 404 and json.loads(data)["code"] == "shape-not-found", data
    told("refuses precisely")
    for path in ("/livez", "/readyz", "/v1", "/metrics"):
        assert call("GET", path)[0] == 200, path
    metrics = call("GET", "/metrics")[1].decode()
    assert "\ngjkd_sets 1\n" in metrics and '\ngjkd_queries_total{op="raycast"} 1\n' in metrics
    told("tells of itself")


def send(body, whole=True):
    """A request on a connection of its own: all of it, or all but its last byte."""
    connection = socket.create_connection((HOST, PORT), WAIT_S)
    head = (f"POST /v1/sets/rods/detect HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {len(body)}\r\n"
            "Content-Type: application/json\r\n\r\n")
    connection.sendall(head.encode() + (body if whole else body[:-1]))
    return connection


def answer(connection):
    reply = http.client.HTTPResponse(connection)
    reply.begin()
    data = json.loads(reply.read())
    assert reply.status == 200 and reply.getheader("Connection") == "close", reply.status
    return data


def end(pid, drain_s):
    # Slow to ask about, with a short answer: parallel slanted rods, which do not touch although the
    # boxes around them do.
    rod = {"type": "hull", "points": [[t + x, t + y, t] for t in (0, 20)
                                      for x, y in ((0, 0), (.01, 0), (0, .01), (.01, .01))]}
    call("PUT", "/v1/sets/rods", {"dimension": 3, "shapes": {
        f"rod-{i}-{j}": {**rod, "position": [i / 10, j / 10, 0]}
        for i in range(25) for j in range(25)}})
    slow = [send(b"{}") for _ in range(3)]
    unfinished = send(b'{"a": "rod-0-0", "b": "rod-1-1"}', whole=False)
    time.sleep(0.1)
    begun = time.monotonic()
    os.kill(pid, signal.SIGTERM)
    for connection in slow:
        assert answer(connection)["pairs"] == []
    unfinished.sendall(b"}")
    assert answer(unfinished)["state"] == "separated"
    while os.path.exists(f"/proc/{pid}/exe"):  # a process that has ended has none
        assert time.monotonic() - begun < drain_s, "it has not ended within the drain time"
        time.sleep(0.02)
    told("answers what is in flight at SIGTERM, and ends")


main_job()
end(int(sys.argv[1]), int(sys.argv[2]))
