"""A WebSocket by hand (RFC 6455), and calls over it, for tests of streams."""

import base64
import hashlib
import json
import os
import socket
import struct

TIMEOUT_S = 60
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Refused(Exception):
    """The handshake was not answered by 101; `reply` is what was."""

    def __init__(self, status, headers, body):
        super().__init__(status, body)
        self.status_code, self.headers, self.content = status, headers, body
        self.text = body.decode()

    def json(self):
        return json.loads(self.content)


class WebSocket:
    """One connection. Frames are sent as they are asked for, right or wrong."""

    def __init__(self, daemon, headers=(), timeout=TIMEOUT_S, path="/v1/stream", without=(), source=None,
                 receives=None):
        """From the address `source`; the kernel buffers about so many bytes for a client that does
        not read."""
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        if receives:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect((daemon.host, daemon.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16))
        fields = {"Host": f"{daemon.host}:{daemon.port}", "Upgrade": "websocket",
                  "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": key.decode()} | dict(headers)
        lines = [f"GET {path} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items() if k not in without)]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *rest = head.decode().split("\r\n")
        self.headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in rest)}
        status = int(first.split(" ")[1])
        if status != 101:
            body = self._take(int(self.headers.get("content-length", 0)))
            self.socket.close()
            raise Refused(status, self.headers, body)
        accept = base64.b64encode(hashlib.sha1(key + MAGIC).digest()).decode()
        assert self.headers["sec-websocket-accept"] == accept
        assert self.headers["upgrade"] == "websocket"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _more(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise EOFError(self.buffer[:100])
        self.buffer += piece

    def _take(self, count):
        if len(self.buffer) < count:
            pieces, have = [self.buffer], len(self.buffer)
            while have < count:
                self.buffer = b""
                self._more()
                pieces.append(self.buffer)
                have += len(self.buffer)
            self.buffer = b"".join(pieces)
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    @staticmethod
    def frame(opcode, payload=b"", fin=True, masked=True, rsv=0):
        length = len(payload)
        head = bytes([fin << 7 | rsv << 4 | opcode])
        mark = masked << 7
        if length < 126:
            head += bytes([mark | length])
        elif length < 1 << 16:
            head += struct.pack(">BH", mark | 126, length)
        else:
            head += struct.pack(">BQ", mark | 127, length)
        if not masked:
            return head + payload
        mask = os.urandom(4)
        keys = int.from_bytes(mask * (length // 4 + 1), "big") >> 8 * (4 - length % 4)
        mixed = (int.from_bytes(payload, "big") ^ keys).to_bytes(length, "big") if length else b""
        return head + mask + mixed

    def send(self, opcode, payload=b"", **how):
        self.socket.sendall(self.frame(opcode, payload, **how))

    def receive(self):
        """(opcode, payload) of the next frame, which must be whole and unmasked."""
        first, second = self._take(2)
        assert first & 0x70 == 0 and first & 0x80 and not second & 0x80
        length = second & 0x7f
        if length == 126:
            length, = struct.unpack(">H", self._take(2))
            assert length > 125
        elif length == 127:
            length, = struct.unpack(">Q", self._take(8))
            assert length > 0xffff
        return first & 0xf, self._take(length)

    def close_code(self):
        """The code with which the other side closes; answers that and sees the end."""
        while True:
            opcode, payload = self.receive()
            if opcode == CLOSE:
                break
        try:
            self.send(CLOSE, payload[:2])
            while self.socket.recv(4096):
                pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        return struct.unpack(">H", payload[:2])[0] if payload else None

    # --- Calls ---

    def call(self, id_, method, path, body=None, **more):
        call = {"id": id_, "method": method, "path": path, **more}
        if body is not None:
            call["body"] = body
        self.send(TEXT, json.dumps(call).encode())

    def answer(self):
        """The next answer or event; pings that a watch brings are passed over."""
        opcode, payload = self.receive()
        while opcode == PING:
            opcode, payload = self.receive()
        assert opcode == TEXT, (opcode, payload)
        return json.loads(payload)

    def ask(self, id_, method, path, body=None, **more):
        self.call(id_, method, path, body, **more)
        answer = self.answer()
        assert answer["id"] == id_
        return answer


# --- The messages Call and Answer ---

def _varint(value):
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def pack_call(id_, method, path, content_type="", body=b"", headers=()):
    out = _varint(8) + _varint(id_) + _field(2, method.encode()) + _field(3, path.encode())
    if content_type:
        out += _field(4, content_type.encode())
    if body:
        out += _field(5, body)
    return out + b"".join(_field(6, f"{k}: {v}".encode()) for k, v in headers)


def unpack_answer(data):
    """(id, status, content type, body, headers)"""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    found = {1: 0, 2: 0, 3: "", 4: b"", 5: []}
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            found[tag >> 3] = varint()
            continue
        length = varint()
        piece = data[at:at + length]
        at += length
        if tag >> 3 == 5:
            found[5].append(tuple(piece.decode().split(": ", 1)))
        else:
            found[tag >> 3] = piece.decode() if tag >> 3 == 3 else piece
    return tuple(found[i] for i in range(1, 6))
