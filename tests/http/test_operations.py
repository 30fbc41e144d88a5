"""Probes, metrics, the daemon's account of itself."""

import re
import time

import pytest

import problem
import scenes
from wire import Wire, eventually

LIMITS = {
    "body_bytes_max": 16777216, "batch_queries_max": 65536, "sets_max": 10000,
    "shapes_per_set_max": 1000000, "points_per_hull_max": 65536, "pieces_per_shape_max": 4194304,
    "history_ticks_max": 4096, "id_bytes_max": 128, "meta_bytes_max": 4096,
    "answers_max": 1000000, "watches_max": 4096,
}


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_probes(gjkd, path):
    reply = gjkd.get(path)
    assert reply.status_code == 200
    assert gjkd.call("HEAD", path).status_code == 200
    assert gjkd.get(path, headers={"Accept": "*/*"}).status_code == 200


def test_about(gjkd):
    reply = gjkd.get("/v1")
    about = reply.json()
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    assert about["name"] == "gjkd" and re.fullmatch(r"\d+\.\d+\.\d+.*", about["version"])
    assert about["limits"] == LIMITS and isinstance(about["links"], dict)


def test_the_root_for_a_program(gjkd):
    reply = gjkd.get("/", headers={"Accept": "application/json"})
    assert reply.status_code == 200
    assert reply.headers["Content-Type"].startswith("application/json")


SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)')


def samples(daemon):
    """{(name, labels): value}, every line of the exposition checked."""
    reply = daemon.get("/metrics")
    assert reply.status_code == 200
    assert reply.headers["Content-Type"].startswith("text/plain")
    found, kinds = {}, {}
    assert reply.text.endswith("\n")
    for line in reply.text.splitlines():
        if line.startswith("# TYPE "):
            _, _, metric, kind = line.split()
            assert metric not in kinds, "one TYPE a metric"
            kinds[metric] = kind
        elif line and not line.startswith("# HELP "):
            match = SAMPLE.fullmatch(line)
            assert match, line
            base = re.sub(r"_(bucket|sum|count)$", "", match[1])
            assert match[1] in kinds or kinds.get(base) == "histogram", line
            labels = tuple(sorted(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', match[2] or "")))
            assert (match[1], labels) not in found, "each sample once"
            found[match[1], labels] = float(match[3])
    return found, kinds


def total(found, metric, **labels):
    return sum(value for (name, given), value in found.items()
               if name == metric and labels.items() <= dict(given).items())


def test_metrics_are_all_there(gjkd):
    gjkd.post("/v1/detect", {"a": {"type": "point"}, "b": {"type": "point"}})
    found, kinds = samples(gjkd)
    assert kinds["gjkd_http_requests_total"] == kinds["gjkd_queries_total"] == "counter"
    assert kinds["gjkd_jobs_rejected_total"] == "counter"
    assert kinds["gjkd_http_request_duration_seconds"] == kinds["gjkd_gjk_iterations"] == "histogram"
    for gauge in ("gjkd_sets", "gjkd_shapes", "gjkd_jobs_queued", "gjkd_build_info"):
        assert kinds[gauge] == "gauge"
    assert total(found, "gjkd_build_info") == 1
    version = gjkd.get("/v1").json()["version"]
    assert total(found, "gjkd_build_info", version=version) == 1


def test_histograms_add_up(gjkd):
    found, kinds = samples(gjkd)
    for metric in (m for m, kind in kinds.items() if kind == "histogram"):
        series = {}
        for (name, labels), value in found.items():
            if name == f"{metric}_bucket":
                rest = tuple(l for l in labels if l[0] != "le")
                series.setdefault(rest, []).append((float(dict(labels)["le"]), value))
        assert series, metric
        for rest, buckets in series.items():
            counts = [value for _, value in sorted(buckets)]
            assert counts == sorted(counts), "buckets are cumulative"
            assert sorted(buckets)[-1][0] == float("inf")
            assert found[f"{metric}_count", rest] == counts[-1]
            assert (f"{metric}_sum", rest) in found


def test_metrics_count(start):
    daemon = start()
    daemon.store("s", {"dimension": 2, "shapes": scenes.scene(3, 2)})
    daemon.store("t", {"dimension": 3, "shapes": {"p": {"type": "point"}}})
    pair = {"a": {"type": "circle", "radius": 1}, "b": {"type": "box", "half_extents": [1, 1]}}
    for _ in range(5):
        daemon.post("/v1/detect", pair)
    for _ in range(3):
        daemon.post("/v1/sets/s/distance", {"a": "a"})
    daemon.post("/v1/sets/s/raycast", {"origin": [0, 0], "direction": [1, 0]})
    daemon.post("/v1/detect", {})
    daemon.get("/nope/one")
    daemon.get("/nope/two")
    found, _ = samples(daemon)
    assert total(found, "gjkd_sets") == 2
    assert total(found, "gjkd_shapes") == len(scenes.IDS) + 1
    requests = "gjkd_http_requests_total"
    assert total(found, requests, method="PUT", code="201") == 2
    assert total(found, requests, method="POST", code="200") == 9
    assert total(found, requests, method="POST", code="422") == 1
    assert total(found, requests, code="404") == 2
    routes = {dict(labels)["route"] for name, labels in found if name == requests}
    assert not any("nope" in route for route in routes), "unknown paths make no new series"
    assert "/v1/sets/{set}/distance" in routes
    assert total(found, "gjkd_queries_total", op="detect") >= 5
    assert total(found, "gjkd_queries_total", op="distance") == 3
    assert total(found, "gjkd_queries_total", op="raycast") == 1
    assert total(found, "gjkd_http_request_duration_seconds_count") >= 14
    assert total(found, "gjkd_gjk_iterations_count") > 0
    daemon.call("DELETE", "/v1/sets/s")
    assert eventually(lambda: total(samples(daemon)[0], "gjkd_shapes") == 1)


def test_probes_are_not_blocked_by_queries(gjkd, name):
    hull = {"type": "hull", "points": [[i % 7, i % 5, i % 3] for i in range(105)]}
    gjkd.store(name, {"dimension": 3, "shapes": {f"h{i:03}": hull for i in range(150)}})
    wires = [Wire(gjkd, timeout=60) for _ in range(6)]
    for wire in wires:
        wire.request("POST", f"/v1/sets/{name}/detect", b'{"limit": 1}')
    start = time.monotonic()
    for _ in range(20):
        assert gjkd.get("/livez").status_code == 200
    assert time.monotonic() - start < 60
    for wire in wires:
        assert wire.reply().status in (200, 503)
        wire.socket.close()


def test_every_answer_has_a_type_and_a_length(gjkd):
    for path in ("/livez", "/v1", "/metrics", "/v1/sets", "/nope", "/v1/sets/nobody"):
        reply = gjkd.get(path)
        assert reply.headers["Content-Type"] and int(reply.headers["Content-Length"]) > 0
    problem.check(gjkd.get("/nope"), "route-not-found")
