"""Stands between a node and NATS: loses, holds back or renumbers what the servers deliver, loses what the node
publishes."""

import socket
import threading
import time


LONG, MANY = 1_000_000, 10


class Filter:
    """A proxy of the text protocol that looks at what the server delivers: `MSG subject sid [reply] bytes`.
    `subject` is one, or the beginning of all that begin with it where it ends with a dot."""

    def __init__(self, port, subject):
        self.port_behind, self.subject = port, subject.encode()
        self.loses = self.holds = False
        self.lost = 0
        self.swallows = None  # bytes: what has them is lost, whatever its subject
        self.swallowed = self.refused = 0  # messages lost so; publications that the log did not take
        self.mutes = None  # bytes: publications whose subject begins with them do not come to the servers
        self.muted_at = None  # time of the first one
        self.asked = 0  # messages of the log that were asked for one by one
        self.adds = False  # a message of the log that the others do not have
        self.floods = False  # behind all that is delivered come messages of the log that do not follow
        self.flood = b""
        self.held = []  # (socket, bytes)
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.sockets = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return "nats://127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self):
        while True:
            try:
                front, _ = self.listener.accept()
            except OSError:
                return
            try:
                back = socket.create_connection(("127.0.0.1", self.port_behind))
            except OSError:  # it is away
                front.close()
                continue
            for each in (front, back):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.changed:
                self.sockets += [front, back]
                if self.listener.fileno() < 0:
                    front.close()
                    back.close()
                    return
            threading.Thread(target=self.copy, args=(front, back), daemon=True).start()
            threading.Thread(target=self.deliver, args=(back, front), daemon=True).start()

    def copy(self, source, to):
        stream = source.makefile("rb")
        try:
            while line := stream.readline():
                words = line.split()
                if words[:1] in ([b"PUB"], [b"HPUB"]):
                    line += stream.read(int(words[-1]) + 2)
                    if self.mutes and words[1].startswith(self.mutes):
                        self.muted_at = self.muted_at or time.monotonic()
                        continue
                to.sendall(line)
            to.shutdown(socket.SHUT_WR)
        except (OSError, ValueError):
            pass

    def deliver(self, source, to):
        stream = source.makefile("rb")
        try:
            while line := stream.readline():
                words = line.split()
                if words[:1] in ([b"MSG"], [b"HMSG"]):
                    line += stream.read(int(words[-1]) + 2)
                    self.asked += b"stream_msg_get_response" in line
                    if self.is_of(words[1]) and self.keep_back(to, line):
                        continue
                    self.refused += b"wrong last sequence" in line
                    if self.swallows and self.swallows in line:
                        self.swallowed += 1
                        continue
                    if self.adds and words[3].startswith(b"$JS.ACK."):
                        line = self.with_one_more(line)
                    if words[3].startswith(b"$JS.ACK."):
                        self.flood = self.far_ahead(words)
                    if self.floods:
                        line += self.flood
                to.sendall(line)
            to.shutdown(socket.SHUT_WR)
        except (OSError, ValueError):
            pass

    @staticmethod
    def with_one_more(message):
        """A message of the log as a server delivers it that has one more before it than the log's leader: one
        place further on. Behind that one where it is the first of its consumer. The reply subject tells both
        places: $JS.ACK.stream.consumer.count.place.place of the consumer.…"""
        head, rest = message.split(b"\r\n", 1)
        words = head.split(b" ")
        tokens = words[3].split(b".")
        is_first = tokens[6] == b"1"
        tokens[5:7] = [b"%d" % (int(token) + 1) for token in tokens[5:7]]
        words[3] = b".".join(tokens)
        moved = b" ".join(words) + b"\r\n" + rest
        at = message.index(b"Gjkd-Id: ") + len(b"Gjkd-Id: ")
        other = message[:at] + (b"0" if message[at:at + 1] != b"0" else b"1") + message[at + 1:]
        return other + moved if is_first else moved

    @staticmethod
    def far_ahead(words):
        """Messages of the same consumer, long ones, before which many are missing."""
        tokens = words[3].split(b".")
        tokens[5:7] = [b"%d" % (int(token) + 1_000_000) for token in tokens[5:7]]
        return b"MSG %s %s %s %d\r\n%s\r\n" % (words[1], words[2], b".".join(tokens), LONG, bytes(LONG)) * MANY

    def cut(self):
        """Ends the connections that there are."""
        with self.changed:
            for each in self.sockets[1:]:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def is_of(self, subject):
        return subject == self.subject or (self.subject.endswith(b".") and subject.startswith(self.subject))

    def keep_back(self, to, message):
        with self.changed:
            if self.loses:
                self.lost += 1
            elif self.holds:
                self.held.append((to, message))
            self.changed.notify_all()
            return self.loses or self.holds

    def lose(self, count, act):
        """Loses what act() has others tell: so many messages."""
        with self.changed:
            self.loses, until = True, self.lost + count
        act()
        with self.changed:
            assert self.changed.wait_for(lambda: self.lost >= until, 60)
            self.loses = False

    def hold(self, count, act):
        """Keeps that back until release()."""
        with self.changed:
            self.holds = True
        act()
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.held) >= count, 60)

    def release(self):
        with self.changed:
            self.holds, held, self.held = False, self.held, []
        for to, message in held:
            to.sendall(message)

    def close(self):
        with self.changed:
            for each in self.sockets:
                each.close()
