"""What a hostile client does, each until it is stopped:

   attackers.py NAME HOST PORT ADDRESS     from that address; ends when its standard input does

Whatever is answered is fine; that the daemon answers others is judged elsewhere."""

import base64
import gzip
import http.client
import json
import math
import os
import random
import socket
import struct
import sys
import threading
import time

MIB = 1 << 20
JSON = {"Content-Type": "application/json"}
POINTS = 50000
BALLS = 3000
BOX = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
       [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
TRIANGLES = 40000
RAYS = 20000


class Attacker:
    def __init__(self, host, port, address):
        self.at, self.address = (host, port), address

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(*self.at, timeout=60,
                                                source_address=(self.address, 0))
        try:
            data = json.dumps(body) if isinstance(body, dict) else body
            connection.request(method, path, data, JSON | (headers or {}))
            reply = connection.getresponse()
            return reply.status, reply.read()
        except (OSError, http.client.HTTPException):
            time.sleep(0.01)
            return None, b""
        finally:
            connection.close()

    def dial(self, small=False):
        connection = socket.socket()
        if small:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.bind((self.address, 0))
        connection.settimeout(20)
        connection.connect(self.at)
        return connection

    def hold(self, data, count, seconds, small=False):
        """So many connections that send that and then nothing."""
        held = []
        for _ in range(count):
            try:
                held.append(self.dial(small))
                for piece in data:
                    held[-1].sendall(piece)
            except OSError:
                pass
        time.sleep(seconds)
        for connection in held:
            connection.close()


def stall(me):
    """Questions that look cheap, to points that are far apart."""
    for path, body in (("detect", {"a": {"type": "circle", "radius": 1e9}}),
                       ("distance", {"a": {"type": "point"}, "limit": 1000000}),
                       ("cast", {"shape": {"type": "circle", "radius": 1e6},
                                 "translation": [1e7, 0], "mode": "all"})):
        me.ask("POST", f"/v1/sets/sparse/{path}", body)


def pairs(me):
    me.ask("POST", "/v1/sets/balls/detect", {})
    me.ask("POST", "/v1/sets/balls/detect", {"against": "balls"})


def hoard(me):
    """Large answers that nobody reads."""
    me.hold([b"GET /v1/sets/sparse HTTP/1.1\r\nHost: localhost\r\n\r\n"], 16, 3, small=True)


def tree(me):
    """Bodies that would become many times their size."""
    for unit in (b"{}", b"[]", b"0"):
        body = b'{"queries":[' + b",".join([unit] * (15 * MIB // (len(unit) + 1))) + b"]}"
        me.ask("POST", "/v1/batch", body)


def cone(me):
    """A hull whose points lie on a cone that shrinks geometrically."""
    points = [[r * math.cos(i * 2.399), r * math.sin(i * 2.399), r]
              for i, r in ((i, 1.003 ** -i) for i in range(32768))]
    me.ask("POST", "/v1/detect", {"a": {"type": "hull", "points": points}, "b": {"type": "point"}})


def fold(me):
    query = b'{"a":{"type":"point"},"b":{"type":"point"}}'
    for field in (b"Content-Len: 43\r\n gth\r\n", b"Transfer-Enc: chunked\r\n oding\r\n"):
        me.hold([b"POST /v1/distance HTTP/1.1\r\nHost: localhost\r\n"
                 b"Content-Type: application/json\r\n" + field + b"\r\n" + query], 4, 0.1)


def crowd(me):
    """More connections than the daemon has descriptors for."""
    me.hold([b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"], 600, 1)


def ignore(me):
    me.ask("POST", "/v1/sets/sparse/detect",
           {"a": {"type": "circle", "radius": 1e9}, "limit": 1,
            "filter": {"ignore": [f"zzzz{i}" for i in range(100000)]}})


def short(me, length=16 * MIB, count=32):
    """Uploads that stop one byte before their end."""
    head = (f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n"
            "Content-Type: application/json\r\n\r\n").encode()
    me.hold([head] + [b" " * min(MIB, length - 1 - at) for at in range(0, length - 1, MIB)],
            count, 2)


def shorts(me):
    short(me, 60000, 300)


def bomb(me):
    me.ask("POST", "/v1/detect", gzip.compress(b" " * (16 * MIB)), {"Content-Encoding": "gzip"})


def store(me):
    """Large sets, made and made again."""
    point = {"type": "point", "position": [1, 2]}
    me.ask("PUT", "/v1/sets/large",
           {"dimension": 2, "shapes": {f"p{i}": point for i in range(40000)}})


def late(me):
    """Long packed answers that come too late, to clients that close or send their next request."""
    body = b'{"penetration":false,"limit":60000}'
    for i in range(40):
        request = (b"POST /v1/sets/balls/detect HTTP/1.1\r\nHost: localhost\r\n"
                   b"Content-Type: application/json\r\nAccept-Encoding: gzip\r\n"
                   b"Gjkd-Timeout-Ms: %d\r\nContent-Length: %d\r\n\r\n%s"
                   % (1 + 7 * i, len(body), body))
        connection = me.dial()
        try:
            connection.sendall(request)
            if connection.recv(15) and i % 2 == 0:
                connection.sendall(request.replace(b"Accept-Encoding: gzip", b"Accept: */*"))
        except OSError:
            pass
        connection.close()


def unread(me):
    """A set that is replaced again and again, and answers that keep what it was."""
    held = []
    for i in range(20):
        me.ask("PUT", f"/v1/sets/unread-{me.address}", {"dimension": 2, "shapes": {
            f"s{k}": {"type": "circle", "radius": 1 + i} for k in range(BALLS)}})
        try:
            held.append(me.dial(small=True))
            held[-1].sendall(f"GET /v1/sets/unread-{me.address} HTTP/1.1\r\n"
                             "Host: localhost\r\n\r\n".encode())
        except OSError:
            pass
    time.sleep(1)
    for connection in held:
        connection.close()


def packed(me):
    """What requests sends by itself: a large packed answer, then a large packed question."""
    columns = b"".join(tag + varint(24 * RAYS) + struct.pack("<3d", *three) * RAYS
                       for tag, three in ((b"\x12", (0, 0, 9)), (b"\x1a", (1, 0, 0))))
    me.ask("GET", "/v1/sets/mesh", headers={"Accept-Encoding": "gzip"})
    me.ask("POST", "/v1/sets/mesh/raycast", gzip.compress(b"\x08\x03" + columns, 1), {
        "Content-Type": "application/x-protobuf", "Content-Encoding": "gzip",
        "Accept-Encoding": "gzip"})


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number % 128 + 128])
        number //= 128
    return text + bytes([number])


def line(me):
    """Many writers of one set."""
    threads = [threading.Thread(target=me.ask, args=(
        "PATCH", "/v1/sets/line", {"shapes": {f"s{i}": {"type": "circle", "radius": 1}}}))
        for i in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def creep(me):
    """Ways out of a closed mesh along no axis, far from the origin."""
    axes = [[random.uniform(-2, 2) for _ in range(3)] for _ in range(3)]
    vertices = [[sum(s * axis[k] for s, axis in zip((x, y, z), axes)) for k in range(3)]
                for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    far = [random.choice((-1e6, 1e6)) for _ in range(3)]
    mesh = {"type": "mesh", "vertices": vertices, "triangles": BOX, "closed": True, "position": far}
    me.ask("POST", "/v1/raycast",
           {"shape": mesh, "origin": [x + random.uniform(-3, 3) for x in far],
            "direction": [random.uniform(-3, 3) for _ in range(3)], "exits": True})


def frame(opcode, payload=b"", is_last=True):
    """A frame of a WebSocket, whose mask is zero."""
    length = len(payload)
    size = (bytes([128 | length]) if length < 126 else
            b"\xfe" + struct.pack(">H", length) if length < 65536 else b"\xff" + struct.pack(">Q", length))
    return bytes([is_last << 7 | opcode]) + size + b"\0\0\0\0" + payload


def upgrade():
    key = base64.b64encode(os.urandom(16)).decode()
    return ("GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode()


def deafen(me, data, count, seconds=3):
    """Streams that send that again and again and read nothing."""
    head = upgrade()
    open_ones = {}
    for _ in range(count):
        try:
            connection = me.dial(small=True)
            connection.sendall(head)
            connection.setblocking(False)
            open_ones[connection] = 0
        except OSError:
            pass
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        is_read = False
        for connection, at in open_ones.items():
            try:
                open_ones[connection] = (at + connection.send(data[at:at + MIB])) % len(data)
                is_read = True
            except OSError:
                pass
        if not is_read:
            time.sleep(0.01)
    for connection in open_ones:
        connection.close()


def ping(me):
    """Pings, empty ones, full ones, and ones among the fragments of a message."""
    deafen(me, frame(9) * 40000, 20)
    deafen(me, frame(9, b"x" * 125) * 2000, 20)
    part = frame(1, b" ", is_last=False)
    deafen(me, part + (frame(0, b"", is_last=False) + frame(9)) * 20000 + frame(0), 20)


def deaf(me):
    """Small answers, and late ones, that nobody reads."""
    deafen(me, frame(1, b'{"id":1,"method":"GET","path":"/v1"}') * 3000, 60)
    deafen(me, frame(1, b'{"id":1,"method":"POST","path":"/v1/sets/balls/detect",'
                        b'"headers":{"Gjkd-Timeout-Ms":"1"},"body":{}}') * 3000, 60)


def call(id_, method, path, **more):
    return frame(1, json.dumps({"id": id_, "method": method, "path": path} | more).encode())


def stream(me, frames, seconds):
    """A stream that sends all of that and reads what comes, for so long."""
    try:
        with me.dial() as connection:
            connection.sendall(upgrade())
            sender = threading.Thread(target=send, args=(connection, frames), daemon=True)
            sender.start()
            until = time.monotonic() + seconds
            connection.settimeout(0.2)
            while time.monotonic() < until:
                try:
                    if not connection.recv(MIB):
                        return
                except TimeoutError:
                    pass
    except OSError:
        time.sleep(0.1)


def send(connection, frames):
    try:
        connection.sendall(b"".join(frames))
    except OSError:
        pass


def overlaps(me):
    """Overlap watches of a large set, each with a filter of its own, while shapes of it move."""
    path = "/v1/sets/moving/events?kinds=overlap&filter="
    watching = threading.Thread(target=stream, args=(
        me, [call(i, "WATCH", path + '{"mask":%d}' % (4294967295 - 2 * i)) for i in range(300)], 10))
    watching.start()
    step = 0
    while watching.is_alive():
        step += 1
        me.ask("PATCH", "/v1/sets/moving", {"shapes": {
            f"s{i}": {"position": [i % 60 * 1.5, i // 60 * 1.5 + step % 3]} for i in range(0, 2000, 40)}})
        time.sleep(0.2)


def unwatch(me):
    """Calls that wait behind a long write, and messages that come meanwhile."""
    point = {"type": "point", "position": [1, 2]}
    long = {"dimension": 2, "shapes": {f"p{i}": point for i in range(40000)}}
    waiting = [call(10 + i, "GET", "/v1/sets/waiting/shapes/x") for i in range(500)]
    waiting += [call(7, "WATCH", "/v1/sets/waiting/events")]
    waiting += [frame(1, b'{"id":7,"method":"UNWATCH"}')] * 500
    stream(me, [call(1, "PUT", "/v1/sets/waiting", body=long)] + waiting + [call(3, "GET", "/livez")] * 5000, 5)


def topics(me):
    """As many watches as may be, each with a filter of its own."""
    path = "/v1/sets/line/events?kinds=overlap&filter="
    stream(me, [call(i, "WATCH", path + '{"mask":%d}' % i) for i in range(5000)], 5)


def filters(me):
    """The same with filters as long as may be, which nobody ever tells anything."""
    path = "/v1/sets/line/events?kinds=overlap&filter="
    long = ",".join(f'"{i:02}{"x" * 118}"' for i in range(30))
    stream(me, [call(i, "WATCH", path + '{"ignore":[%s],"mask":%d}' % (long, i)) for i in range(5000)], 5)


ATTACKS = {attack.__name__: attack for attack in (
    stall, pairs, hoard, tree, cone, fold, crowd, ignore, short, shorts, bomb, store, line,
    creep, late, unread, packed, ping, deaf, overlaps, unwatch, topics, filters)}


def prepare(me):
    """The sets that the attacks ask about."""
    point = [{"type": "point", "position": [i * 10.0, i * 10.0]} for i in range(POINTS)]
    ball = {"type": "sphere", "radius": 1}
    corners = [[math.sin(i), math.sin(2 * i), math.sin(3 * i)] for i in range(3 * TRIANGLES)]
    mesh = {"type": "mesh", "vertices": corners,
            "triangles": [[i, i + 1, i + 2] for i in range(0, 3 * TRIANGLES, 3)]}
    grid = [{"type": "circle", "radius": 1, "position": [i % 60 * 1.5, i // 60 * 1.5]}
            for i in range(2000)]
    for name, dimension, shapes in (("sparse", 2, point), ("balls", 3, [ball] * BALLS),
                                    ("mesh", 3, [mesh]), ("line", 2, []),
                                    ("moving", 2, grid)):
        body = {"dimension": dimension,
                "shapes": {f"s{i}": shape for i, shape in enumerate(shapes)}}
        for _ in range(20):
            status, answer = me.ask("PUT", f"/v1/sets/{name}", body)
            if status != 504:  # on a busy machine a large set takes more than one deadline
                break
        assert status == 201, answer


def main(name, host, port, address):
    os.nice(19)  # an attacker has processors of its own
    me = Attacker(host, int(port), address)
    over = threading.Event()

    def attack():
        while not over.is_set():
            ATTACKS[name](me)

    threads = [threading.Thread(target=attack, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    over.set()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
