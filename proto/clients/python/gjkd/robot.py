"""Robots: collisions and clearances of the configurations of a URDF's joints among the shapes of a set.

    robot = Robot.from_urdf("panda.urdf", srdf="panda.srdf")
    cell = Cell(client, "cell", robot)
    cell.collides(q)              # q: (n, joints) or (joints,)
    cell.edges(q0, q1)            # straight motions between configurations
    cell.clearances(q, margin)
"""

from __future__ import annotations

import xml.etree.ElementTree as xml
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._answer import Problem
from .client import Client
from .load import is_closed, read_mesh

Array = NDArray[np.float64]

ROWS_MAX = 4096  # rows per message, answered within seconds
DISTANCE_ROWS_MAX = 256  # the same for queries with depths
MESSAGE_BYTES = 8 << 20  # per message; the daemon takes 16 MiB
PADDING = 0.005  # metres


def multiply(a: Array, b: Array) -> Array:
    """Returns the product of quaternions (x, y, z, w): first b turns, then a."""
    u, v, s, t = a[..., :3], b[..., :3], a[..., 3:], b[..., 3:]
    return np.concatenate([s * v + t * u + np.cross(u, v), s * t - (u * v).sum(-1, keepdims=True)], -1)


def turn(q: Array, v: Array) -> Array:
    """Rotates vectors by quaternions."""
    twice = 2 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * twice + np.cross(q[..., :3], twice)


def about(axis: Array, angle: Array) -> Array:
    half = np.asarray(angle)[..., None] / 2
    return np.concatenate([np.sin(half) * axis, np.cos(half)], -1)


def origin_of(element: xml.Element | None) -> tuple[Array, Array]:
    """Returns position and rotation of an <origin>."""
    if element is None:
        return np.zeros(3), np.array([0.0, 0, 0, 1])
    roll, pitch, yaw = (about(np.eye(3)[i], np.asarray(a)) for i, a in enumerate(numbers(element.get("rpy", "0 0 0"))))
    return numbers(element.get("xyz", "0 0 0")), multiply(yaw, multiply(pitch, roll))


def numbers(text: str) -> Array:
    return np.array(text.split(), np.float64)


@dataclass
class Joint:
    name: str
    kind: str  # revolute, prismatic or fixed
    parent: str
    child: str
    place: Array
    rotation: Array
    axis: Array
    column: int = -1  # of q
    multiplier: float = 1.0
    offset: float = 0.0
    lower: float = -np.pi
    upper: float = np.pi


@dataclass
class Element:
    """A collision element of a link: a shape and its pose in the link's frame."""

    link: str
    place: Array
    rotation: Array
    shape: dict[str, Any]
    radius: float  # of a ball around the shape's origin that contains the shape


@dataclass
class Robot:
    name: str
    links: list[str]  # parents before children
    joints: dict[str, Joint]  # by child
    elements: list[Element]
    names: list[str] = field(default_factory=list)  # joint of each column of q
    disabled: set[tuple[str, str]] = field(default_factory=set)  # pairs of links that may touch

    @classmethod
    def from_urdf(cls, path: str | Path, srdf: str | Path | None = None) -> Robot:
        """Reads a URDF file, and pairs of links that may touch from an SRDF file. Adjacent links always may.
        Raises ValueError for unknown kinds of joints and geometry."""
        path = Path(path)
        root = xml.parse(path).getroot()
        joints = {joint.child: joint for joint in map(read_joint, root.findall("joint"))}
        names = [joint.name for joint in joints.values() if joint.kind != "fixed"]
        mimics = {element.get("name", ""): element.find("mimic") for element in root.findall("joint")}
        names = [name for name in names if mimics[name] is None]
        for joint in joints.values():
            if joint.kind != "fixed":
                mimic = mimics[joint.name]
                joint.column = names.index(joint.name if mimic is None else mimic.get("joint", ""))
                if mimic is not None:
                    joint.multiplier, joint.offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
        found = [element.get("name", "") for element in root.findall("link")]
        links = [link for link in found if link not in joints]
        for link in links:
            links += [joint.child for joint in joints.values() if joint.parent == link]
        elements = [read_element(link, collision, path) for link in root.findall("link") for collision in link.findall("collision")]
        disabled = {(joint.parent, joint.child) for joint in joints.values()}
        if srdf is not None:
            disabled |= {(pair.get("link1", ""), pair.get("link2", ""))
                         for pair in xml.parse(srdf).getroot().findall("disable_collisions")}
        return cls(root.get("name", "robot"), links, joints, elements, names, disabled)

    def limits(self) -> tuple[Array, Array]:
        """Returns the lower and the upper limits of the joints."""
        own = sorted((joint for joint in self.joints.values() if joint.kind != "fixed" and joint.name in self.names),
                     key=lambda joint: joint.column)
        return np.array([joint.lower for joint in own]), np.array([joint.upper for joint in own])

    def way_to(self, link: str) -> list[Joint]:
        """Returns the joints from the root to a link."""
        way: list[Joint] = []
        while link in self.joints:
            way.insert(0, self.joints[link])
            link = way[0].parent
        return way

    def poses(self, q: Array, base: tuple[Array, Array] | None = None) -> dict[str, tuple[Array, Array]]:
        """Returns positions (n, 3) and rotations (n, 4) of the links at configurations (n, joints)."""
        place, rotation = base or (np.zeros(3), np.array([0.0, 0, 0, 1]))
        out = {link: (np.broadcast_to(place, (len(q), 3)), np.broadcast_to(rotation, (len(q), 4)))
               for link in self.links if link not in self.joints}
        for link in self.links:
            joint = self.joints.get(link)
            if joint is None:
                continue
            place, rotation = out[joint.parent]
            place, rotation = place + turn(rotation, joint.place), multiply(rotation, joint.rotation)
            value = q[:, joint.column] * joint.multiplier + joint.offset
            if joint.kind == "revolute":
                rotation = multiply(rotation, about(joint.axis, value))
            elif joint.kind == "prismatic":
                place = place + turn(rotation, value[:, None] * joint.axis)
            out[link] = place, rotation
        return out


def read_joint(element: xml.Element) -> Joint:
    kind = {"continuous": "revolute"}.get(element.get("type", ""), element.get("type", ""))
    name = element.get("name", "")
    if kind not in ("revolute", "prismatic", "fixed"):
        raise ValueError(f"the joint {name!r} is {kind}; known are revolute, continuous, prismatic and fixed")
    place, rotation = origin_of(element.find("origin"))
    axis, limit = element.find("axis"), element.find("limit")
    along = numbers("1 0 0" if axis is None else axis.get("xyz", "1 0 0"))
    joint = Joint(name, kind, element.find("parent").get("link", ""), element.find("child").get("link", ""),  # type: ignore[union-attr]
                  place, rotation, along / np.linalg.norm(along) if kind != "fixed" else along)
    if limit is not None and element.get("type") != "continuous":
        joint.lower, joint.upper = float(limit.get("lower", 0)), float(limit.get("upper", 0))
    return joint


def find_mesh(name: str, urdf: Path) -> Path:
    """Returns the file that a URDF names. A package:// path is searched in the enclosing folders."""
    rest = name.split("://", 1)[-1]
    inner = rest.partition("/")[2] if name.startswith("package://") else rest
    tried = [folder / part for folder in urdf.resolve().parents for part in (rest, inner)]
    for file in tried:
        if file.is_file():
            return file
    raise FileNotFoundError(f"{urdf} names {name}, which is in no folder from {tried[0].parent} upwards")


def read_element(link: xml.Element, collision: xml.Element, urdf: Path) -> Element:
    place, rotation = origin_of(collision.find("origin"))
    geometry = collision.find("geometry")
    kind = geometry[0] if geometry is not None and len(geometry) else xml.Element("nothing")
    shape: dict[str, Any]
    if kind.tag == "box":
        half = numbers(kind.get("size", "")) / 2
        shape, radius = {"type": "box", "half_extents": half.tolist()}, float(np.linalg.norm(half))
    elif kind.tag == "sphere":
        radius = float(kind.get("radius", 0))
        shape = {"type": "sphere", "radius": radius}
    elif kind.tag == "cylinder":
        around, half_length = float(kind.get("radius", 0)), float(kind.get("length", 0)) / 2
        shape = {"type": "cylinder", "a": [0, 0, -half_length], "b": [0, 0, half_length], "radius": around}
        radius = float(np.hypot(around, half_length))
    elif kind.tag == "mesh":
        vertices, triangles = read_mesh(find_mesh(kind.get("filename", ""), urdf))
        scale = numbers(kind.get("scale", "1 1 1"))
        vertices = vertices.astype(np.float64) * scale
        shape = {"type": "mesh", "vertices": vertices, "triangles": triangles, "closed": is_closed(triangles)}
        radius = float(np.linalg.norm(vertices, axis=1).max())
    else:
        raise ValueError(f"the link {link.get('name')!r} has a {kind.tag}; known are box, sphere, cylinder and mesh")
    return Element(link.get("name", ""), place, rotation, shape, radius)


@dataclass
class Clearances:
    """The nearest pair of each row. Beyond the margin, distance is inf and link is None."""

    distance: Array  # (n,), signed
    normal: Array  # (n, 3), from the link to the other shape
    point: Array  # (n, 3), on the link
    other_point: Array  # (n, 3)
    link: list[str | None]
    other: list[str | None]  # a link, or the id of a shape
    jacobian: Array  # (n, 3, joints), of the point on the link
    gradient: Array  # (n, joints), of the distance

    def __len__(self) -> int:
        return len(self.distance)


class Cell:
    """A robot among the shapes of a set, which is made if it is not there.

    Shapes of moving links are stored as ROBOT/LINK/NUMBER, and once more for edges with the padding
    around them. Their category and mask are 0: no other query meets them. Links that never move are stored
    as ordinary shapes, so they are part of the surroundings.

    base: place and rotation (x, y, z, w) of the robot. allowed: pairs that may touch, each of a link and another
    link or a shape's id.
    """

    def __init__(self, client: Client, set: str, robot: Robot, *, base: tuple[Any, Any] = ((0, 0, 0), (0, 0, 0, 1)),
                 allowed: Iterable[tuple[str, str]] = (), padding: float = PADDING) -> None:
        self.client, self.set, self.robot, self.padding = client, set, robot, padding
        self.base = np.array(base[0], np.float64), np.array(base[1], np.float64)
        self._ways = {link: robot.way_to(link) for link in robot.links}
        moving = {link for link, way in self._ways.items() if any(joint.kind != "fixed" for joint in way)}
        self.elements = [element for element in robot.elements if element.link in moving]
        if not self.elements:
            raise ValueError(f"no moving link of {robot.name} has a collision element")
        self._store([element for element in robot.elements if element.link not in moving], list(allowed))

    def _store(self, still: Sequence[Element], allowed: list[tuple[str, str]]) -> None:
        """Stores the robot's shapes in the set and keeps their handles."""
        try:
            self.client.put_set(self.set, dimension=3, if_none_match="*")
        except Problem as problem:
            if problem.status != 412:
                raise
        poses = self.robot.poses(np.zeros((1, len(self.robot.names))), self.base)
        ghost: dict[str, Any] = {"category": 0, "mask": 0}
        owner: dict[str, list[str]] = {}  # ids of each link
        ids: list[str] = []
        for number, element in enumerate([*self.elements, *still]):
            place, rotation = self._at(element, poses)
            shape = element.shape | {"position": place[0].tolist(), "orientation": rotation[0].tolist()}
            name = f"{self.robot.name}/{element.link}/{number}"
            moves = number < len(self.elements)
            self.client.put_shape(self.set, name, **shape, **(ghost if moves else {}))
            owner.setdefault(element.link, []).append(name)
            ids.append(name)
            if moves:
                self.client.put_shape(self.set, f"{name}/padded", **shape, **ghost, rounding=self.padding)
        handles = self.client.patch_set(self.set, fields="handles")["handles"]
        count = len(self.elements)
        self.handles = np.array([handles[name] for name in ids[:count]], np.uint32)
        self._padded = np.array([handles[f"{name}/padded"] for name in ids[:count]], np.uint32)
        pairs = [pair for link in owner for pair in combinations(owner[link], 2)]
        for a, b in [*self.robot.disabled, *allowed]:
            pairs += [(x, y) for x in owner.get(a, [a]) for y in owner.get(b, [b]) if x in handles and y in handles]
        number_of = {name: number for number, name in enumerate(ids)}
        self._allowed, self._allowed_padded = (
            np.array([[which[number_of[x]] if number_of.get(x, count) < count else handles[x] for x in pair]
                      for pair in pairs], np.uint32).reshape(-1, 2) for which in (self.handles, self._padded))
        self._names = {handles[name]: element.link for name, element in zip(ids, [*self.elements, *still])}
        self._names = {handle: name for name, handle in handles.items()} | self._names

    def _at(self, element: Element, poses: dict[str, tuple[Array, Array]]) -> tuple[Array, Array]:
        place, rotation = poses[element.link]
        return place + turn(rotation, element.place), multiply(rotation, element.rotation)

    def _rows(self, q: Any) -> Array:
        rows = np.atleast_2d(np.asarray(q, np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self.robot.names):
            raise ValueError(f"q has the shape {np.shape(q)}; a row has {len(self.robot.names)} joints: {', '.join(self.robot.names)}")
        return rows

    def _rows_max(self, most: int) -> int:
        """Returns the maximum number of rows per message."""
        return max(2, min(most, MESSAGE_BYTES // (56 * len(self.elements))))

    def _ask(self, q: Array, padded: bool = False, **more: Any) -> list[Any]:
        """Sends the rows, in messages within the limits, and returns the answers."""
        poses = self.robot.poses(q, self.base)
        at = [self._at(element, poses) for element in self.elements]
        position = np.stack([place for place, _ in at], 1)
        rotation = np.stack([rotation for _, rotation in at], 1)
        step = self._rows_max(DISTANCE_ROWS_MAX if "distance" in more else ROWS_MAX)
        return [self.client.configurations(
            self.set, shape=self._padded if padded else self.handles, position=position[i:i + step],
            rotation=rotation[i:i + step], self=True, allowed=self._allowed_padded if padded else self._allowed, **more)
            for i in range(0, len(q), step)]

    def collides(self, q: Any) -> Any:
        """Returns for each configuration whether a moving link collides with another link or a shape of the set.
        For one configuration (joints,) a bool."""
        rows = self._rows(q)
        told = np.concatenate([answers.colliding for answers in self._ask(rows)]).astype(bool) if len(rows) else np.zeros(0, bool)
        return told if np.ndim(q) > 1 else bool(told[0])

    def edges(self, q0: Any, q1: Any) -> Any:
        """Returns for each straight way of the joints from q0 to q1 whether it may collide: false is certain, true is
        said of what comes nearer than twice the padding at most. Each way is cut into straight motions,
        which the daemon checks without a gap; the arcs of the links stay within the padding of them."""
        start, end = np.broadcast_arrays(self._rows(q0), self._rows(q1))
        cuts = self._cuts(start, end)
        blocked = np.zeros(len(start), bool)
        first = 0
        while first < len(start):
            # As many motions as fit into one message, and at least one.
            sizes = np.cumsum(cuts[first:] + 1)
            last = first + max(1, int(np.searchsorted(sizes, self._rows_max(ROWS_MAX), "right")))
            blocked[first:last] = self._blocked(start[first:last], end[first:last], cuts[first:last])
            first = last
        return blocked if max(np.ndim(q0), np.ndim(q1)) > 1 else bool(blocked[0])

    def _blocked(self, start: Array, end: Array, cuts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns true for each motion that collides; each is cut into a given number of parts."""
        way = np.repeat(np.arange(len(cuts)), cuts + 1)
        first = np.cumsum(cuts + 1) - (cuts + 1)
        share = ((np.arange(len(way)) - first[way]) / cuts[way])[:, None]
        rows = start[way] * (1 - share) + end[way] * share
        step = self._rows_max(ROWS_MAX)
        hit = np.zeros(len(rows), bool)
        for i in range(0, max(1, len(rows) - 1), step - 1):  # each message begins with the last row of the previous one
            starts = first[(first >= i) & (first < i + step)] - i
            hit[i:i + step] |= self._ask(rows[i:i + step], True, continuous=True, starts=starts)[0].colliding.astype(bool)
        out = np.zeros(len(cuts), bool)
        out[way[hit]] = True
        return out

    def _cuts(self, start: Array, end: Array) -> NDArray[np.int64]:
        """Returns into how many motions each way is cut.

        The motion between two rows is straight and turns at a constant rate. On a way of duration 1 a point's
        acceleration is at most the sum over pairs of joints i, j of the speeds' product times the distance of the
        outer one from the point; that of the straight motion at most the squared sum of the angular speeds times the
        distance from the shape's origin. Both agree at the rows, so that they differ at most by an eighth of the
        sum of those accelerations times the squared length of a part.
        """
        speed = np.abs(end - start)
        reach = np.maximum(np.abs(start), np.abs(end))
        bend: Array = np.zeros(len(start))
        for element in self.elements:
            way = self._ways[element.link]
            distance: Array = np.full(len(start), float(np.linalg.norm(element.place)) + element.radius)
            inner: list[tuple[Array, bool]] = []
            outer: list[tuple[Array, bool, Array]] = []
            for joint in reversed(way):
                if joint.kind == "prismatic":
                    distance = distance + np.abs(joint.multiplier) * reach[:, joint.column] + abs(joint.offset)
                if joint.kind != "fixed":
                    outer.append((np.abs(joint.multiplier) * speed[:, joint.column], joint.kind == "revolute", distance))
                distance = distance + float(np.linalg.norm(joint.place))
            acceleration: Array = np.zeros(len(start))
            turning: Array = np.zeros(len(start))
            for rate, revolute, far in reversed(outer):  # from the root outwards: `inner` are nearer to it
                before = sum((other for other, turns in inner if turns), np.zeros(len(start)))
                acceleration = acceleration + (rate * (rate + 2 * before) * far if revolute else 2 * rate * before)
                turning = turning + (rate if revolute else 0)
                inner.append((rate, revolute))
            bend = np.maximum(bend, acceleration + turning ** 2 * element.radius)
        return np.maximum(1, np.ceil(np.sqrt(bend / (8 * self.padding)))).astype(np.int64)

    def clearances(self, q: Any, margin: float) -> Clearances:
        """Returns the nearest pair within a margin of each configuration, and the gradient of its distance."""
        rows = self._rows(q)
        told = self._ask(rows, distance=True, threshold=margin)
        pair, distance, normal, a, b = (np.concatenate([getattr(answers, name) for answers in told])
                                        for name in ("pair", "distance", "normal", "point_a", "point_b"))
        mine = np.isin(pair[:, 0], self.handles)  # if both are links, the first is `link`
        link_of, other_of = np.where(mine, pair[:, 0], pair[:, 1]), np.where(mine, pair[:, 1], pair[:, 0])
        point, other = np.where(mine[:, None], a, b), np.where(mine[:, None], b, a)
        number = {int(handle): i for i, handle in enumerate(self.handles)}
        poses = self.robot.poses(rows, self.base)
        jacobian = self._jacobians(poses, rows, point, [number.get(int(handle), -1) for handle in link_of])
        against = self._jacobians(poses, rows, other, [number.get(int(handle), -1) for handle in other_of])
        return Clearances(distance, normal, point, other, [self._names.get(int(h)) for h in link_of],
                          [self._names.get(int(h)) for h in other_of], jacobian,
                          np.einsum("ni,nij->nj", normal, against - jacobian))

    def _jacobians(self, poses: dict[str, tuple[Array, Array]], q: Array, points: Array, numbers_of: Sequence[int]) -> Array:
        """Returns the Jacobians of points fixed to elements; 0 for number -1."""
        out = np.zeros((len(q), 3, q.shape[1]))
        which = np.array(numbers_of)
        for number in np.unique(which[which >= 0]):
            rows = np.flatnonzero(which == number)
            for joint in self._ways[self.elements[number].link]:
                if joint.kind == "fixed":
                    continue
                place, rotation = (part[rows] for part in poses[joint.child])
                axis = turn(rotation, joint.axis)  # invariant under the joint's own rotation
                moved = np.cross(axis, points[rows] - place) if joint.kind == "revolute" else axis
                out[rows, :, joint.column] += joint.multiplier * moved
        return out
