"""Sessions whose requests travel as calls of a WebSocket (GET /v1/stream), so that the same tests
show that every route works there too. `pytest --transport stream` uses them; what answers with the
same bytes whenever it is asked is also asked over HTTP and compared."""

import json
import threading

import requests
from requests.adapters import BaseAdapter, HTTPAdapter

from stream_wire import BINARY, CLOSE, PING, TEXT, Refused, WebSocket, pack_call, unpack_answer

enabled = False
compared = set()  # ports of daemons whose answers are compared

# Header fields that belong to the connection, and so to the handshake.
HANDSHAKE = ("Host", "Authorization", "Origin", "X-Forwarded-For")
NOT_SENT = {name.lower() for name in HANDSHAKE} | {
    "connection", "content-length", "transfer-encoding", "user-agent", "expect"}

# Their answers tell of the daemon and not of what is stored.
VOLATILE = ("/metrics", "/readyz", "/livez", "/healthz", "/v1/sets?")


def is_json(data):
    """Whether a body can stand in a text call as it is."""
    if data != data.strip():
        return False
    try:
        json.loads(data.decode())
    except (ValueError, RecursionError):
        return False
    return data != b"null"


def body_of(prepared):
    body = prepared.body
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    return body if isinstance(body, (bytes, bytearray)) else b"".join(body)


class Answer:
    """An answer of either form: status, headers and the bytes of the body."""

    def __init__(self, opcode, payload):
        if opcode == BINARY:
            self.id, self.status, type_, self.body, fields = unpack_answer(payload)
            self.headers = dict(fields) | ({"Content-Type": type_} if type_ else {})
            return
        told = json.loads(payload)
        self.id, self.status, self.headers = told["id"], told["status"], told.get("headers", {})
        self.body = b""
        if "body" in told:
            self.headers.setdefault("Content-Type", "application/json; charset=utf-8")
            kind = self.headers["Content-Type"].split(";")[0]
            self.body = (payload[payload.index(b'"body":') + 7:-1] if kind.endswith("json")
                         else told["body"].encode())


class StreamAdapter(BaseAdapter):
    """Sends requests as calls, text and binary in turn, over one stream for each thread and each
    of the fields that stand in the handshake."""

    def __init__(self):
        super().__init__()
        self.streams = {}
        self.calls = 0
        self.http = HTTPAdapter()

    def close(self):
        for stream in self.streams.values():
            stream.socket.close()
        self.streams = {}
        self.http.close()

    def stream_for(self, prepared, timeout):
        host, _, port = prepared.url.split("/")[2].rpartition(":")
        fields = {name: prepared.headers[name] for name in HANDSHAKE if name in prepared.headers}
        key = (threading.get_ident(), host, port, *sorted(fields.items()))
        if key not in self.streams:
            place = type("Place", (), {"host": host, "port": int(port)})
            self.streams[key] = WebSocket(place, fields, timeout=timeout or 60)
        return key, self.streams[key]

    def ask(self, stream, prepared, data):
        self.calls += 1
        id_ = self.calls
        headers = {k: v if isinstance(v, str) else v.decode("latin-1")
                   for k, v in prepared.headers.items() if k.lower() not in NOT_SENT}
        if data and "Content-Type" not in prepared.headers:
            headers["Content-Type"] = ""  # a call has one by itself
        wants_columns = "protobuf" in headers.get("Accept", "")
        if id_ % 2 == 0 and not wants_columns and (not data or is_json(data)):
            head = json.dumps({"id": id_, "method": prepared.method, "path": prepared.path_url,
                               "headers": headers})
            body = b',"body":' + data + b"}" if data else b"}"
            stream.send(TEXT, head[:-1].encode() + body)
        else:
            stream.send(BINARY, pack_call(id_, prepared.method, prepared.path_url, body=data,
                                          headers=headers.items()))
        while True:
            opcode, payload = stream.receive()
            if opcode == CLOSE:
                raise EOFError(payload)
            if opcode != PING:
                answer = Answer(opcode, payload)
                assert answer.id == id_, (answer.id, id_)
                return answer

    def exchange(self, prepared, data, timeout):
        """An answer, or the refusal of the handshake. A stream that was closed between two calls is
        opened again."""
        known = len(self.streams)
        key, socket = self.stream_for(prepared, timeout)
        try:
            socket.socket.settimeout(timeout)
            return self.ask(socket, prepared, data)
        except (OSError, EOFError) as error:
            self.streams.pop(key).socket.close()
            if len(self.streams) < known and not isinstance(error, TimeoutError):
                return self.exchange(prepared, data, timeout)
            raise

    def send(self, prepared, stream=False, timeout=None, verify=True, cert=None, proxies=None):
        try:
            answer = self.exchange(prepared, body_of(prepared), timeout)
            status, headers, body = answer.status, answer.headers, answer.body
            if prepared.method != "HEAD":
                headers.setdefault("Content-Length", str(len(body)))
        except Refused as refused:
            status, headers, body = refused.status_code, refused.headers, refused.content
        except (OSError, EOFError) as error:
            kind = requests.Timeout if isinstance(error, TimeoutError) else requests.ConnectionError
            raise kind(error) from None
        reply = requests.Response()
        reply.status_code, reply._content, reply._content_consumed = status, body, True
        reply.headers.update(headers)
        reply.request, reply.url, reply.encoding = prepared, prepared.url, "utf-8"
        if headers.get("Content-Encoding") == "gzip":
            import gzip
            reply._content = gzip.decompress(body)
        self.compare(prepared, reply, body, timeout)
        return reply

    def compare(self, prepared, reply, body, timeout):
        """The same over HTTP, where nothing can have changed: the same bytes."""
        port = int(prepared.url.split("/")[2].rpartition(":")[2])
        asks = prepared.method == "GET" or (prepared.method == "POST" and "/ticks/" not in prepared.path_url)
        if (port not in compared or not asks or reply.status_code >= 429
                or prepared.path_url.startswith(VOLATILE) or "Gjkd-Timeout-Ms" in prepared.headers
                or not isinstance(prepared.body, (bytes, str, type(None)))):
            return
        other = self.http.send(prepared, timeout=timeout)
        if other.headers.get("ETag") == reply.headers.get("ETag"):
            assert other.status_code == reply.status_code, (other.text, reply.text)
            assert other.content == reply.content, (other.text[:1000], reply.text[:1000])
            if body:
                assert other.headers["Content-Type"] == reply.headers["Content-Type"]
