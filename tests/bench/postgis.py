"""The same boxes in PostgreSQL with PostGIS, asked by prepared statements.

A cluster in a temporary folder, without a port, is started for it. Where PostGIS is not installed,
there is nothing to compare with. gjkd answers over HTTP, PostgreSQL over its socket.
"""

import json
import os
import pathlib
import pwd
import random
import subprocess
import sys
import tempfile
import time

import load
import wire

BOXES = 10000
ROOM = 100
ASKED = 512  # different questions, in turns
SECONDS = 3
START_S = 30
FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
PAIR = """\\set i random(1, {count})
\\set j random(1, {count})
SELECT ST_3DDistance(a.solid, b.solid) FROM boxes a, boxes b WHERE a.id = :i AND b.id = :j;
"""
NEAREST = """\\set x random(-{room}, {room})
\\set y random(-{room}, {room})
\\set z random(-{room}, {room})
SELECT id FROM boxes ORDER BY solid <<->> ST_MakePoint(:x, :y, :z) LIMIT 1;
"""


def boxes(rng):
    """[(centre, half extents)]"""
    return [([wire.number(rng, ROOM) for _ in range(3)],
             [abs(wire.number(rng, 1)) + 0.1 for _ in range(3)]) for _ in range(BOXES)]


def surface(centre, half):
    corners = [[c + (h if i >> k & 1 else -h) for k, (c, h) in enumerate(zip(centre, half))]
               for i in range(8)]
    rings = ["((" + ",".join(" ".join(map(repr, corners[i])) for i in (*face, face[0])) + "))"
             for face in FACES]
    return "POLYHEDRALSURFACE Z(" + ",".join(rings) + ")"


class Cluster:
    """A server of its own; stopped, and its folder removed, when the block that runs it ends."""

    def __init__(self, running, tools):
        self.tools, self.running = tools, running
        self.folder = pathlib.Path(running.enter_context(
            tempfile.TemporaryDirectory(prefix="gjkd-postgis-")))
        self.as_user = []
        if os.getuid() == 0:  # PostgreSQL does not run as root
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}",
                            "--clear-groups"]
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "bench", "--no-sync")
        self.process = subprocess.Popen(
            [*self.as_user, tools / "postgres", "-D", self.folder / "data",
             "-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        running.callback(self.stop)
        deadline = time.monotonic() + START_S
        while self.run("pg_isready", "-h", self.folder, check=False).returncode != 0:
            if time.monotonic() > deadline:
                sys.exit("PostgreSQL does not start")
            time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait(START_S)

    def run(self, tool, *arguments, text=None, check=True):
        return subprocess.run([*self.as_user, self.tools / tool, *map(str, arguments)], text=True,
                              input=text, capture_output=True, check=check, cwd="/")

    def sql(self, text):
        return self.run("psql", "-h", self.folder, "-U", "bench", "-d", "postgres", "-q", "-t",
                        "-A", "-v", "ON_ERROR_STOP=1", text=text).stdout

    def cost_of(self, script):
        """Processor time of the server a question, in microseconds."""
        path = self.folder / "script.sql"
        path.write_text(script)
        path.chmod(0o644)
        before = self.processor_s()
        found = self.run("pgbench", "-h", self.folder, "-U", "bench", "-n", "-M", "prepared",
                         "-T", SECONDS, "-f", path, "postgres").stdout
        count = next(int(line.split()[-1]) for line in found.splitlines()
                     if "transactions actually processed" in line)
        spent = before
        while spent == before:  # until the session has been waited for
            time.sleep(0.2)
            spent = self.processor_s()
        return (spent - before) * 1e6 / count

    def processor_s(self):
        """Of the sessions that have ended, which their parent waited for."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def ours(server, folder, path, bodies):
    lines = folder / "bodies"
    lines.write_text("\n".join(map(json.dumps, bodies)))
    os.environ["BENCH_BODIES"] = str(lines)
    try:
        return server.load(load.CONNECTIONS, path)["processor_us"]
    finally:
        del os.environ["BENCH_BODIES"]


def ask(server, method, path, body):
    connection = load.http.client.HTTPConnection(server.host)
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    reply = connection.getresponse()
    text = reply.read().decode()
    if reply.status >= 300:
        sys.exit(text)
    return json.loads(text)


def rows(running, server):
    tools = next((path for path in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
                  if pathlib.Path(f"/usr/share/postgresql/{path.parent.name}/extension/"
                                  "postgis.control").exists()), None)
    if tools is None:
        print("PostGIS is not installed: left out", file=sys.stderr)
        return
    rng = random.Random(2)
    all_boxes = boxes(rng)
    cluster = Cluster(running, tools)
    values = ",".join(f"({i},'{surface(*box)}')" for i, box in enumerate(all_boxes, 1))
    cluster.sql("CREATE EXTENSION postgis;"
                "CREATE TABLE boxes (id int PRIMARY KEY, solid geometry(PolyhedralSurfaceZ));"
                f"INSERT INTO boxes VALUES {values};"
                "CREATE INDEX ON boxes USING gist (solid gist_geometry_ops_nd); ANALYZE boxes;")
    ask(server, "PUT", "/v1/sets/boxes", {"dimension": 3, "shapes": {
        str(i): {"type": "box", "half_extents": half, "position": centre}
        for i, (centre, half) in enumerate(all_boxes, 1)}})
    pairs = [{"a": str(rng.randint(1, BOXES)), "b": str(rng.randint(1, BOXES))}
             for _ in range(ASKED)]
    points = [{"a": {"type": "point", "position": [rng.randint(-ROOM, ROOM) for _ in range(3)]},
               "limit": 1} for _ in range(ASKED)]
    differ = 0
    for pair in pairs[:20]:
        theirs = float(cluster.sql("SELECT ST_3DDistance(a.solid, b.solid) FROM boxes a, boxes b "
                                   f"WHERE a.id = {pair['a']} AND b.id = {pair['b']};"))
        found = ask(server, "POST", "/v1/sets/boxes/distance", pair)["distance"]
        differ += abs(found - theirs) > 1e-9 * ROOM
    for case, script, bodies in (("distance of two stored boxes", PAIR, pairs),
                                 ("nearest of 10,000 boxes", NEAREST, points)):
        script = script.format(count=BOXES, room=ROOM)
        found = [(ours(server, cluster.folder, "/v1/sets/boxes/distance", bodies),
                  cluster.cost_of(script)) for _ in range(3)]
        mine, theirs = sorted(found, key=lambda pair: pair[0] / pair[1])[1]
        yield wire.row(case, 1e6 / mine, 1e6 / theirs, "PostGIS", "a second and core",
                       us=round(mine, 2), us_peer=round(theirs, 2), differ=differ)
