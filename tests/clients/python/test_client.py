"""The client's calls: refusals, conditions, deadlines, retries, events; the same for asyncio."""

import asyncio
import contextlib
import gc
import hashlib
import inspect
import socket
import ssl
import subprocess
import threading
import time

import numpy as np
import pytest

import gjkd
from daemon import Daemon

ROOM = {"dimension": 2, "history": {"ticks": 8}, "shapes": {
    "ada": {"type": "circle", "radius": 0.5}, "wall": {"type": "box", "half_extents": [1, 1], "position": [4, 0]}}}


@contextlib.contextmanager
def playing(*answers):
    """A server that answers each request with the next of these bytes, and then closes. Yields its URL and a
    list of the requests' heads."""
    listener = socket.create_server(("127.0.0.1", 0))
    heads = []

    def serve():
        for answer in answers:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as stream:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    head += stream.readline()
                heads.append(head.decode())
                length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
                stream.read(int(length[0].split(b":")[1]) if length else 0)
                connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", heads
    finally:
        thread.join(60)
        listener.close()


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{\"answer\": 1}"
BUSY = (b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 0\r\n"
        b"Content-Length: 23\r\nConnection: close\r\n\r\n{\"code\": \"overloaded\"} ")


def test_the_main_job(client, name):
    made = client.put_set(name, **ROOM)
    assert (made.status, made["shapes"], made["revision"]) == (201, 2, 1)
    assert client.distance(name, a="ada", b="wall")["distance"] == 2.5
    assert client.detect(name, a={"id": "ada", "position": [3, 0]})["hits"][0]["id"] == "wall"
    assert client.raycast(name, origin=[0, 0], direction=[1, 0], solid=False)["hits"][0]["distance"] == 3
    assert client.cast(name, shape="ada", translation=[8, 0])["hits"][0]["fraction"] == 2.5 / 8
    moved = client.move(name, shape="ada", translation=[8, 0])
    assert moved["blocked"][0] == pytest.approx(5.5, abs=1e-3)
    assert client.patch_set(name, shapes={"wall": None})["shapes"] == 1
    assert client.patch_shape(name, "ada", radius=2)["radius"] == 2
    assert client.put_shape(name, "a/b", type="point")["type"] == "point"
    assert client.get_shape(name, "a/b")["handle"] == 3
    assert client.delete_shape(name, "a/b").status == 204
    assert client.list_sets(prefix=name)["sets"][0]["name"] == name
    assert client.distance(a={"type": "point"}, b={"type": "point", "position": [3, 4]})["distance"] == 5
    assert "gjkd_sets" in client.metrics() and client.about()["name"] == "gjkd"
    exported = client.export_sets(prefix=name)
    client.delete_set(name)
    assert client.import_sets(exported)["sets"] == [{"name": name, "status": 201, "revision": 1}]
    client.delete_set(name)


def test_a_tick_loop(client, name):
    """A player runs along; a shot asks where he stood half a tick ago."""
    handle = client.put_set(name, **ROOM, fields="handles")["handles"]["ada"]
    for tick in range(20):
        place = np.array([[0.0, tick]])
        told = client.tick(name, tick, handle=np.array([handle]), position=place)
        assert told["tick"] == tick
    shot = {"op": "hit", "at": {"tick": 18.5}, "claim": {"id": "ada"}, "ray": {"origin": [-5, 18.5], "direction": [1, 0]}}
    told = client.tick(name, 20, shapes={"ada": {"position": [0, 20]}}, queries=[shot])
    assert told["results"][0]["verdict"] == "confirmed"
    assert client.get_tick(name, 18.5)["shapes"]["ada"]["position"] == [0, 18.5]
    assert client.tick(name, 21, shapes={"ada": {"position": [4, 0]}}, overlaps={})["overlaps"] == {"begin": [["ada", "wall"]], "end": []}
    with pytest.raises(gjkd.Problem) as refused:
        client.detect(name, a="ada", at={"tick": 1})
    assert (refused.value.status, refused.value.code, refused.value.pointer) == (410, "tick-expired", "/at/tick")


def test_a_refusal_is_a_problem(client, name):
    with pytest.raises(gjkd.Problem) as refused:
        client.detect(a={"type": "circle", "raduis": 1}, b={"type": "point"})
    problem = refused.value
    assert (problem.status, problem.code, problem.pointer) == (422, "unknown-member", "/a/raduis")
    assert problem.hint == 'did you mean "radius"?'
    assert problem.title and problem.detail in str(problem)
    with pytest.raises(gjkd.Problem) as refused:
        client.batch(queries=[{"op": "detect"}] * 70000)
    assert (refused.value.code, refused.value.limit) == ("too-many", 65536)


def test_conditions(client, name):
    first = client.put_set(name, **ROOM, if_none_match="*")
    second = client.patch_set(name, shapes={"ada": {"radius": 1}}, if_match=first.etag)
    assert first.etag != second.etag == client.head_set(name).etag
    with pytest.raises(gjkd.Problem) as refused:
        client.delete_set(name, if_match=first.etag)
    assert (refused.value.status, refused.value.code) == (412, "revision-mismatch")
    ada = client.get_shape(name, "ada")
    assert client.patch_shape(name, "wall", position=[5, 0]).etag != ada.etag
    changed = client.patch_shape(name, "ada", radius=2, if_match=ada.etag)  # another shape's change does not disturb
    with pytest.raises(gjkd.Problem) as refused:
        client.patch_shape(name, "ada", radius=3, if_match=ada.etag)
    assert (refused.value.code, refused.value.etag) == ("revision-mismatch", changed.etag)
    second = client.head_set(name)
    same = client.get_set(name, if_none_match=second.etag)
    assert same.status == 304 and not same
    assert client.detect(name, if_match=second.etag).etag == second.etag


def test_a_deadline_is_passed_on(client, name):
    """Pairs of a large crowd take longer than a hundredth of a second."""
    client.put_set(name, dimension=2, shapes={str(i): {"type": "circle", "radius": 9, "position": [i % 100, i // 100]} for i in range(6000)})
    with pytest.raises((gjkd.Problem, TimeoutError)) as refused:  # a daemon without a processor says nothing in time
        client.detect(name, timeout=0.01)
    assert isinstance(refused.value, TimeoutError) or (refused.value.status, refused.value.code) == (504, "deadline-exceeded")
    with playing(OK) as (url, heads), gjkd.Client(url) as other:
        assert other.get_set("a", timeout=7) == {"answer": 1}
    assert 6000 < int(heads[0].split("Gjkd-Timeout-Ms: ")[1].split()[0]) <= 7000


def test_a_silent_daemon_is_a_timeout():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with gjkd.Client(f"http://127.0.0.1:{silent.getsockname()[1]}") as client, pytest.raises(TimeoutError):
            client.live(timeout=0.05)


def test_what_is_refused_for_now_is_tried_again():
    with playing(BUSY, BUSY, OK) as (url, heads), gjkd.Client(url) as client:
        assert client.put_set("a", dimension=2) == {"answer": 1}
    assert len(heads) == 3
    with playing(BUSY) as (url, _), gjkd.Client(url, retries=0) as client, pytest.raises(gjkd.Problem) as refused:
        client.put_set("a", dimension=2)
    assert (refused.value.status, refused.value.code) == (503, "overloaded")


def test_only_what_is_safe_is_asked_twice():
    with playing(b"", OK) as (url, heads), gjkd.Client(url) as client:
        assert client.distance("a", a="x", b="y") == {"answer": 1}
    with playing(b"", OK) as (url, heads), gjkd.Client(url) as client:
        assert client.tick("a", 4, shapes={}) == {"answer": 1}
    assert [head.split()[0] for head in heads] == ["PUT", "PUT"]
    with playing(b"HTTP/1.1 200 OK\r\nContent-Le", ) as (url, heads), gjkd.Client(url) as client:
        with pytest.raises(gjkd.Unanswered):
            client.patch_set("a", shapes={})
    assert len(heads) == 1


def test_a_tick_under_a_condition_is_asked_once():
    with playing(b"") as (url, heads), gjkd.Client(url) as client, pytest.raises(gjkd.Unanswered):
        client.tick("a", 4, shapes={}, if_match='"x"')
    assert len(heads) == 1


@pytest.mark.parametrize("after", ["3600", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_long_retry_after_is_not_waited_for(after):
    head = f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: {after}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with playing(*3 * [head.encode()]) as (url, heads), gjkd.Client(url, timeout=None) as client:
        with pytest.raises(gjkd.Problem):
            client.put_set("a", dimension=2)
        for _ in range(3 - len(heads)):
            with pytest.raises(gjkd.Problem):
                gjkd.Client(url, retries=0).live()


def test_a_redirect_is_not_followed():
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with playing(moved) as (url, _), gjkd.Client(url, token="secret") as client, pytest.raises(gjkd.Problem) as refused:
        client.get_set("a")
    assert refused.value.status == 302 and "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_leaves_its_path_is_refused(daemon, name):
    with gjkd.Client(daemon.url) as client, pytest.raises(ValueError, match="no name"):
        client.delete_shape("room", name)


@pytest.mark.parametrize("stream", [False, True])
def test_a_kept_connection_that_was_closed_is_replaced(stream):
    start = Daemon()
    with gjkd.Client(start.url, stream=stream) as client:
        client.put_set("a", dimension=2)
        port = start.port
        start.stop()
        again = Daemon(listen=("--listen", f"127.0.0.1:{port}"))
        assert client.put_set("a", dimension=2).status == 201
        again.stop()


def test_a_header_holds_no_line_break(daemon):
    with gjkd.Client(daemon.url) as client, pytest.raises(ValueError, match="line break"):
        client.get_set("a", if_match="x\r\nHost: y")
    with pytest.raises(ValueError, match="no address"):
        gjkd.Client("127.0.0.1:8080")
    with pytest.raises(ConnectionRefusedError, match="'http://127.0.0.1:1'$"):
        gjkd.Client("http://ada:secret@127.0.0.1:1", retries=0).about()


def test_what_has_no_number_says_where_it_happened(monkeypatch):
    def connect(*_):
        raise TimeoutError("timed out")

    monkeypatch.setattr("socket.create_connection", connect)
    with pytest.raises(TimeoutError, match="^http://127.0.0.1:1: timed out$"):
        gjkd.Client("http://ada:secret@127.0.0.1:1", retries=0).about()


def test_packed_bodies(daemon):
    shapes = {f"shape-{i}": {"type": "circle", "radius": 1, "position": [3 * i, 0]} for i in range(4000)}
    with gjkd.Client(daemon.url, compress=True) as client:
        assert client.put_set("packed", dimension=2, shapes=shapes)["shapes"] == 4000
        told = client.get_set("packed")
        assert told.headers["content-encoding"] == "gzip" and len(told["shapes"]) == 4000
        assert client.get_set("packed", if_none_match=told.etag).status == 304


def test_threads_share_a_client(client, name):
    client.put_set(name, **ROOM)
    told = []
    threads = [threading.Thread(target=lambda: told.extend(client.distance(name, a="ada", b="wall")["distance"] for _ in range(50)))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [2.5] * 400


# --- Events ---

def test_events(client, name):
    first = client.put_set(name, **ROOM)
    client.patch_set(name, shapes={"ada": {"position": [1, 0]}})
    with client.watch(name, since=first.etag) as events:
        event = next(events)
        assert (event["kind"], event["revision"], event["shapes"]["ada"]["position"]) == ("change", 2, [1, 0])
        assert event.id == client.head_set(name).etag.strip('"')
        client.patch_set(name, shapes={"wall": None})
        assert next(events)["shapes"] == {"wall": None}
        client.delete_set(name)
        assert [event["kind"] for event in events] == ["deleted"]
    with pytest.raises(gjkd.Problem, match="set-not-found"):
        next(client.watch(name))
    client.put_set(name, **ROOM)
    with client.watch(name, kinds=("change", "overlap"), filter={"mask": 1}) as events:
        assert next(events)["all"] is True


def test_a_watch_outlives_the_daemon(tmp_path):
    """What happens while nobody listens, and after a restart, comes all the same."""
    flags = ("--data-dir", str(tmp_path / "data"))
    one = Daemon(*flags)
    with gjkd.Client(one.url) as client:
        client.put_set("room", **ROOM)
        events = client.watch("room", since=1)
        client.patch_set("room", shapes={"ada": {"position": [1, 0]}})
        assert next(events)["shapes"]["ada"]["position"] == [1, 0]
        one.stop()
        two = Daemon(*flags, listen=("--listen", f"127.0.0.1:{one.port}"))
        client.patch_set("room", shapes={"ada": {"position": [2, 0]}})
        event = next(events)
        if event["kind"] == "reset":  # the changes before a restart are not kept
            assert client.get_set("room")["shapes"]["ada"]["position"] == [2, 0]
            client.patch_set("room", shapes={"ada": {"position": [3, 0]}})
            event = next(events)
        assert event["shapes"]["ada"]["position"] == client.get_shape("room", "ada")["position"]
        events.close()
        two.stop()


def test_a_watch_ends_with_a_set_that_went_meanwhile():
    one = Daemon()
    with gjkd.Client(one.url) as client:
        client.put_set("room", **ROOM)
        events = client.watch("room", since=1)
        client.patch_set("room", shapes={"ada": {"position": [1, 0]}})
        assert next(events)["kind"] == "change"
        one.stop()
        two = Daemon(listen=("--listen", f"127.0.0.1:{one.port}"))
        assert next(events, "the end") == "the end"
        with pytest.raises(gjkd.Problem, match="set-not-found"):
            next(client.watch("room", since=1))
        two.stop()


def test_a_watch_of_no_daemon_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with gjkd.Client(f"http://127.0.0.1:{port}", retries=0) as client:
        with pytest.raises(ConnectionRefusedError):
            next(client.watch("room"))
        with pytest.raises(ConnectionRefusedError):
            client.live()


# --- asyncio ---

def test_the_twin_has_the_same_methods():
    def signature(method):
        return list(inspect.signature(method).parameters)
    names = [name for name in dir(gjkd.Client) if not name.startswith("_")]
    assert names == [name for name in dir(gjkd.AsyncClient) if not name.startswith("_")]
    assert all(signature(getattr(gjkd.Client, name)) == signature(getattr(gjkd.AsyncClient, name)) for name in names)


@pytest.mark.parametrize("stream", [False, True])
def test_asyncio(daemon, name, stream):
    async def main():
        async with gjkd.AsyncClient(daemon.url, timeout=100, stream=stream) as client:
            made = await client.put_set(name, **ROOM)
            told = await asyncio.gather(*(client.distance(name, a="ada", b="wall") for _ in range(300)))
            assert {one["distance"] for one in told} == {2.5}
            rays = await client.raycast(name, origin=np.array([[0.0, 0]]), direction=[1, 0])
            assert rays.distance.tolist() == [0]
            with pytest.raises(gjkd.Problem, match="revision-mismatch"):
                await client.delete_set(name, if_match=f'"{"0" * 24}-1"')
            await client.patch_set(name, shapes={"wall": None})
            seen = []
            async for event in client.watch(name, since=made.etag):
                seen.append(event["kind"])
                if len(seen) == 1:
                    await client.delete_set(name)
            return seen
    assert asyncio.run(main()) == ["change", "deleted"]


def test_asyncio_waits_no_longer_than_told():
    async def main(url):
        async with gjkd.AsyncClient(url) as client:
            start = time.monotonic()
            with pytest.raises(TimeoutError):
                await client.live(timeout=0.05)
            return time.monotonic() - start
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asyncio.run(main(f"http://127.0.0.1:{silent.getsockname()[1]}"))


def test_a_deadline_on_a_stream_disturbs_no_other_call(daemon, client, name):
    """One call gives up while another waits for its answer on the same connection."""
    crowd = {str(i): {"type": "circle", "radius": 1.5, "position": [i % 100, i // 100]} for i in range(4000)}
    client.put_set(name, dimension=2, shapes=crowd)

    async def main():
        async with gjkd.AsyncClient(daemon.url, timeout=100, stream=True) as twin:
            long = asyncio.create_task(twin.detect(name, penetration=False))
            await asyncio.sleep(0)
            short = asyncio.create_task(twin.detect(name, penetration=False))
            await asyncio.sleep(0.002)
            assert not long.done()
            short.cancel()
            told = await asyncio.gather(*(twin.live() for _ in range(200)), long)
            return told[-1]
    assert len(asyncio.run(main())["pairs"]) > 4000
    client.delete_set(name)


def test_tls(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=gjkd", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    secure = Daemon("--tls-cert", str(certificate), "--tls-key", str(key))
    trusting = ssl.create_default_context(cafile=str(certificate))
    with gjkd.Client(secure.url, tls=trusting) as client:
        assert client.put_set("a", dimension=2)["revision"] == 1
        assert [client.get_set("a")["revision"] for _ in range(20)] == [1] * 20
    with gjkd.Client(secure.url, retries=0) as client, pytest.raises(ssl.SSLCertVerificationError):
        client.live()
    secure.stop()

    async def main():
        async with gjkd.AsyncClient(again.url, tls=trusting) as client:
            return await asyncio.gather(*(client.live() for _ in range(20)))
    again = Daemon("--tls-cert", str(certificate), "--tls-key", str(key))
    for _ in range(3):
        assert asyncio.run(main()) == [{"status": "ok"}] * 20
        gc.collect()  # which complains of connections that were not closed when the loop ended
    again.stop()


def test_a_token_opens_a_stream(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"me {hashlib.sha256(b'secret').hexdigest()} write\n")
    guarded = Daemon("--token-file", str(tokens))
    for stream in (False, True):
        with gjkd.Client(guarded.url, "secret", stream=stream) as client:
            assert client.put_set(f"a{stream}", dimension=2)["revision"] == 1
            assert next(client.watch(f"a{stream}", kinds="overlap"))["all"]
        with gjkd.Client(guarded.url, "wrong", stream=stream) as client, pytest.raises(gjkd.Problem) as refused:
            client.list_sets()
        assert (refused.value.status, refused.value.code) == (401, "unauthenticated")
    guarded.stop()
