"""Two stories from end to end: a robot finds its way round a gap, and a shooter's server asks all of a
tick at once."""

import heapq
import json
import math
import random

import pytest

from messages import TYPE, gjkd as pb

# --- A planner ---

WALL = {"type": "box", "half_extents": [0.25, 2.25]}
HALL = {"dimension": 2, "shapes": {
    "rod": {"type": "capsule", "a": [-1, 0], "b": [0.2, 0], "radius": 0.1},
    "rod/arm": {"type": "segment", "a": [0, 0], "b": [1, 0], "rounding": 0.05},
    "lower": WALL | {"position": [0, -2.75]}, "upper": WALL | {"position": [0, 2.75]},
    "post": {"type": "circle", "radius": 0.2, "position": [1.5, 0.75]}}}
START, GOAL = (-3, 0, 1.5, 0.5), (3, 0, 1.5, -0.5)  # x, y, angle, bend of the arm
NEIGHBOURS = 12


class Robot:
    """A rod whose second half bends at its middle: two shapes that move together."""

    def __init__(self, numpy, gjkd, name):
        self.np, self.gjkd, self.url = numpy, gjkd, f"/v1/sets/{name}"
        reply = gjkd.put(f"{self.url}?fields=handles", HALL)
        self.handles = [reply.json()["handles"][i] for i in ("rod", "rod/arm")]

    def message(self, rows, continuous):
        both = self.np.stack([rows[:, :2], rows[:, :2]], 1)
        turns = self.np.stack([rows[:, 2], rows[:, 2] + rows[:, 3]], 1)
        return pb.ConfigurationColumns(
            dimension=2, shape=self.handles, position=both.ravel(), rotation=turns.ravel(),
            self=True, allowed=self.handles, continuous=continuous)

    def collide(self, rows, continuous=False):
        reply = self.gjkd.call("POST", f"{self.url}/configurations", headers={"Content-Type": TYPE},
                               data=self.message(rows, continuous).SerializeToString())
        assert reply.status_code == 200, reply.text
        return self.np.array(pb.ConfigurationAnswers.FromString(reply.content).colliding, bool)

    def roadmap(self, rng):
        """Free places, and which of the ways between near ones are free."""
        np = self.np
        nodes = np.vstack([START, GOAL, rng.uniform((-4, -4, 0, -1), (4, 4, math.pi, 1), (1700, 4))])
        nodes = nodes[~self.collide(nodes)]
        apart = (((nodes[:, None] - nodes[None]) * (1, 1, 1, 0.5)) ** 2).sum(2)
        near = np.argsort(apart, 1)[:, 1:NEIGHBOURS + 1]
        edges = np.stack([np.repeat(np.arange(len(nodes)), NEIGHBOURS), near.ravel()], 1)
        blocked = [self.collide(nodes[part].reshape(-1, 4), True)[1::2]
                   for part in np.array_split(edges, 1 + len(edges) // 30000)]
        return nodes, edges, np.concatenate(blocked)


def shortest(nodes, edges, start, goal):
    """Dijkstra's."""
    links = {}
    for a, b in edges.tolist():
        length = math.dist(nodes[a], nodes[b])
        links.setdefault(a, []).append((length, b))
        links.setdefault(b, []).append((length, a))
    queue, done = [(0.0, [start])], set()
    while queue:
        length, way = heapq.heappop(queue)
        if way[-1] == goal:
            return way
        if way[-1] not in done:
            done.add(way[-1])
            for more, node in links.get(way[-1], []):
                heapq.heappush(queue, (length + more, way + [node]))
    return None


def test_a_planner_finds_its_way_through_a_gap(gjkd, name):
    np = pytest.importorskip("numpy")
    robot = Robot(np, gjkd, name)
    assert robot.collide(np.array([START, GOAL]), True).tolist() == [False, True]
    nodes, edges, blocked = robot.roadmap(np.random.default_rng(16))
    assert nodes[:2].tolist() == [list(START), list(GOAL)] and 0 < blocked.sum() < len(edges) / 2
    path = shortest(nodes, edges[~blocked], 0, 1)
    assert path is not None and len(path) > 3
    steps = np.linspace(0, 1, 1501)[:, None]
    fine = [nodes[a] + steps * (nodes[b] - nodes[a]) for a, b in zip(path, path[1:])]
    assert not any(robot.collide(part).any() for part in fine)
    # And without configurations, by the pairs alone.
    queries = [{"op": "detect", "a": {"id": i, "position": place[:2].tolist(), "angle": angle},
                "b": obstacle, "penetration": False}
               for part in fine for place in part[::50] for obstacle in ("lower", "upper", "post")
               for i, angle in (("rod", place[2]), ("rod/arm", place[2] + place[3]))]
    told = gjkd.ask(f"{robot.url}/batch", {"queries": queries})["results"]
    assert not any(each["colliding"] for each in told)
    # What was refused did collide: a fine sample of a blocked way mostly finds where.
    refused = [nodes[a] + steps * (nodes[b] - nodes[a]) for a, b in edges[blocked][:40]]
    assert sum(robot.collide(way).any() for way in refused) > 20


# --- A shooter ---

PLAYERS, FIRST, LAST = 32, 10, 15
PARTS = {"body": {"type": "capsule", "a": [0, 0, 0.4], "b": [0, 0, 1.2], "radius": 0.4},
         "head": {"type": "sphere", "radius": 0.25, "position": [0, 0, 1.8]}}


def player(number):
    return f"p{number:02}"


def place(number, tick):
    """Players stand on a ring and walk round it."""
    angle = 2 * math.pi * number / PLAYERS + 0.01 * tick
    return [20 * math.cos(angle), 20 * math.sin(angle)]


def state(tick):
    return {f"{player(n)}/{part}": {"position": place(n, tick) + [shape.get("position", [0] * 3)[2]]}
            for n in range(PLAYERS) for part, shape in PARTS.items()}


def shot(rng, shooter, tick):
    """From the shooter's eye now to where it sees another's head: 1.5 ticks ago."""
    target = (shooter + rng.randint(3, PLAYERS - 3)) % PLAYERS
    then = tick - 1.5
    eye = place(shooter, tick) + [1.7]
    # Poses between ticks go straight from one to the other.
    low, high = place(target, math.floor(then)), place(target, math.floor(then) + 1)
    head = [(a + b) / 2 for a, b in zip(low, high)] + [1.8]
    return {"op": "hit", "shooter": player(shooter), "at": {"tick": then},
            "ray": {"origin": eye, "direction": [b - a for a, b in zip(eye, head)]},
            "claim": {"id": f"{player(target)}/head"},
            "policy": {"max_rewind_ticks": 4, "obstacles": "story-level"}}


def step(number, tick):
    """Would the next step of a player touch anything?"""
    here, there = place(number, tick), place(number, tick + 1)
    return {"op": "cast", "shape": f"{player(number)}/body", "mode": "closest",
            "translation": [b - a for a, b in zip(here, there)] + [0],
            "filter": {"ignore_groups": [player(number)]}}


def test_all_of_a_tick_in_one_request(gjkd, name):
    url, rng = f"/v1/sets/{name}", random.Random(32)
    gjkd.store("story-level", {"dimension": 3, "shapes": {
        "tower": {"type": "box", "half_extents": [1, 1, 5], "position": [0, 0, 5]}}})
    gjkd.store(name, {"dimension": 3, "history": {"ticks": 8}, "shapes": {
        i: PARTS[i.split("/")[1]] | where | {"group": i.split("/")[0]}
        for i, where in state(FIRST - 1).items()}})
    handles = {i: s["handle"] for i, s in gjkd.get(url).json()["shapes"].items()}
    seen = set()
    for tick in range(FIRST, LAST + 1):
        shots = [shot(rng, n, tick) for n in range(PLAYERS)]
        queries = shots + [step(n, tick) for n in range(PLAYERS)]
        body = json.dumps({"shapes": state(tick), "queries": queries})
        reply = gjkd.call("POST", f"{url}/ticks/{tick}", data=body,
                          headers={"Content-Type": "application/json"})
        told = reply.json()
        assert reply.status_code == 201 and told["tick"] == tick
        assert told["results"] == gjkd.ask(f"{url}/batch", {"queries": queries})["results"]
        verdicts = [(r["verdict"], r["reason"]) for r in told["results"][:PLAYERS]]
        if tick < FIRST + 2:
            assert set(verdicts) == {("unverifiable", "tick-expired")}
        else:
            for question, verdict in zip(shots, told["results"]):
                assert verdict["verdict"] in ("confirmed", "denied")
                assert verdict["rewind"]["alpha"] == 0.5 and verdict["rewind"]["age_ticks"] == 1.5
                if verdict["reason"] == "blocked":
                    assert verdict["obstacle"]["id"] == "tower"
                elif verdict["verdict"] == "confirmed":
                    assert verdict["hit"]["id"] == question["claim"]["id"]
            seen |= set(verdicts)
        assert all(r["hits"] == [] for r in told["results"][PLAYERS:])  # nobody walks into another
        check_columns(gjkd, url, handles, shots, verdicts)
    assert {("confirmed", None), ("denied", "blocked")} <= seen
    gjkd.call("DELETE", "/v1/sets/story-level")


def check_columns(gjkd, url, handles, shots, verdicts):
    """The same shots as one message."""
    message = pb.HitColumns(
        dimension=3, at_tick=[s["at"]["tick"] for s in shots], max_rewind_ticks=4,
        shooter_of=[handles[f"{s['shooter']}/body"] for s in shots],
        claim=[handles[s["claim"]["id"]] for s in shots], obstacles="story-level",
        origin=[x for s in shots for x in s["ray"]["origin"]],
        direction=[x for s in shots for x in s["ray"]["direction"]])
    reply = gjkd.call("POST", f"{url}/hit", data=message.SerializeToString(),
                      headers={"Content-Type": TYPE})
    answer = pb.HitAnswers.FromString(reply.content)
    names = ["confirmed", "adjusted", "denied", "unverifiable"]
    assert [names[v] for v in answer.verdict] == [verdict for verdict, _ in verdicts]
