"""gjkd.robot against brute force (arm.py), and its derivatives against differences."""

import os

import numpy as np
import pytest

import gjkd
from arm import Arm
from gjkd.robot import Cell, Robot, turn

ROWS = 10000 if os.environ.get("GJKD_FULL") else 300
PADDING = 0.004


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return Arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def cell(arm, daemon):
    with gjkd.Client(daemon.url, timeout=300) as client:
        client.put_set("arm.cell", dimension=3, shapes=arm.shapes)
        yield Cell(client, "arm.cell", Robot.from_urdf(arm.urdf, srdf=arm.srdf), padding=PADDING)
        client.delete_set("arm.cell")


def configurations(robot, count, seed):
    lower, upper = robot.limits()
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(lower)))


def test_a_robot_is_read(arm, cell):
    robot = cell.robot
    assert robot.names == [f"joint{i}" for i in range(1, 8)] + ["grip"]
    assert len(robot.elements) == 14 and len(cell.elements) == 13
    assert robot.limits()[1].tolist() == [2.9, 1.76, 2.9, 2.0, 2.9, 2.5, 2.9, 0.04]
    q = configurations(robot, 20, 1)
    poses = robot.poses(q)
    for i, row in enumerate(q):
        for link, pose in arm.poses(row).items():
            assert poses[link][0][i] == pytest.approx(pose[:3, 3], abs=1e-12)
            x, y, z, w = poses[link][1][i]
            assert [1 - 2 * (y * y + z * z), 2 * (x * z + y * w), 2 * (x * y + z * w)] == pytest.approx(
                [pose[0, 0], pose[0, 2], pose[1, 0]], abs=1e-12)


@pytest.mark.timeout(3600)
def test_collisions_are_those_of_brute_force(arm, cell):
    q = configurations(cell.robot, ROWS, 2)
    told = cell.collides(q)
    within, around = np.array([arm.collides(row) for row in q]).T
    assert not (within & ~told).any() and not (told & ~around).any()
    assert (within != around).mean() < 0.02  # few rows are between the two
    assert 0.2 < told.mean() < 0.8
    assert cell.collides(q[0]) is bool(told[0])


def test_edges_miss_nothing(cell):
    """Thousands of places on each way."""
    q = configurations(cell.robot, 2000, 3)
    free = q[~cell.collides(q)]
    start, end = free[0:60:2], free[1:60:2]
    # Half of them short ones.
    end = np.where((np.arange(len(end)) % 2 == 0)[:, None], start + (end - start) / 20, end)
    told = cell.edges(start, end)
    share = np.linspace(0, 1, 1000)[:, None]
    for a, b, blocked in zip(start, end, told):
        way = a + share * (b - a)
        if blocked:  # each of two links may have come nearer by its padding and by its arc's
            assert cell.clearances(way, 5 * PADDING).distance.min() <= 4 * PADDING
        else:
            assert not cell.collides(way).any()
    assert 0.1 < told.mean() < 0.9
    assert cell.edges(start[0], end[0]) is bool(told[0])


def test_arcs_stay_within_the_padding(cell):
    """What a link's points do between two rows, and what the daemon takes them to do."""
    q = configurations(cell.robot, 40, 4)
    start, end = q[:20], q[20:]
    worst = 0.0
    for a, b, cut in zip(start, end, cell._cuts(start, end)):
        at = a + (np.arange(0, cut + 1, max(1, cut // 4)) / cut)[:, None] * (b - a)
        between = at[:-1] + (b - a) / cut / 2
        ends = cell.robot.poses(at[:-1]), cell.robot.poses(at[:-1] + (b - a) / cut)
        true = cell.robot.poses(between)
        for element in cell.elements:
            (p0, r0), (p1, r1), (p, r) = (cell._at(element, poses) for poses in (*ends, true))
            r1 = np.where(((r0 * r1).sum(-1) < 0)[:, None], -r1, r1)
            middle = (r0 + r1) / np.linalg.norm(r0 + r1, axis=1)[:, None]
            for corner in np.vstack([np.eye(3), -np.eye(3)]) * element.radius:
                worst = max(worst, np.linalg.norm(p + turn(r, corner) - (p0 + p1) / 2 - turn(middle, corner), axis=1).max())
    assert PADDING / 100 < worst <= PADDING


def test_clearances(cell):
    q = configurations(cell.robot, 400, 5)
    margin, step = 0.1, 1e-6
    told = cell.clearances(q, margin)
    near = np.flatnonzero(np.isfinite(told.distance) & (told.distance > 1e-3))
    assert len(near) > 50 and np.isinf(told.distance[[link is None for link in told.link]]).all()
    assert told.other_point[near] - told.point[near] == pytest.approx(told.distance[near, None] * told.normal[near], abs=1e-9)
    assert (told.distance <= 0)[np.isfinite(told.distance)].sum() == (cell.collides(q)).sum()
    links = {element.link for element in cell.elements}
    assert "a-table" in {told.other[i] for i in near}  # whose id is less than the links'
    assert all(told.link[i] in links and told.other[i] in links | {"link0", "a-table", "post", "shelf"} for i in near)
    # Where the same pair stays nearest, the distance changes as the gradient says.
    checked = 0
    for joint in range(q.shape[1]):
        more, less = q[near].copy(), q[near].copy()
        more[:, joint] += step
        less[:, joint] -= step
        after, before = cell.clearances(more, margin + 0.01), cell.clearances(less, margin + 0.01)
        for i, row in enumerate(near):
            if (after.link[i], after.other[i]) == (before.link[i], before.other[i]) == (told.link[row], told.other[row]):
                slope = (after.distance[i] - before.distance[i]) / (2 * step)
                if abs(after.normal[i] - before.normal[i]).max() < 1e-3:
                    assert told.gradient[row, joint] == pytest.approx(slope, abs=2e-3)
                    checked += 1
    assert checked > 100


def test_a_jacobian_is_what_a_point_of_the_link_does(cell):
    q = configurations(cell.robot, 30, 6)
    told, step = cell.clearances(q, 0.2), 1e-6
    for i in [i for i in range(len(q)) if told.link[i] is not None][:10]:
        for joint in range(q.shape[1]):
            rows = np.stack([q[i], q[i]])
            rows[:, joint] += [-step, step]
            poses = cell.robot.poses(np.vstack([q[i:i + 1], rows]))[told.link[i]]
            place, rotation = poses
            inverse = rotation[0] * [-1, -1, -1, 1]
            local = turn(inverse, told.point[i] - place[0])
            moved = place[1:] + turn(rotation[1:], local)
            assert told.jacobian[i, :, joint] == pytest.approx((moved[1] - moved[0]) / (2 * step), abs=1e-6)


def test_pairs_may_be_allowed(cell, arm, name):
    client = cell.client
    robot = cell.robot
    client.put_set(name, dimension=3, shapes={"wall": {"type": "box", "half_extents": [3, 3, 3]}})
    q = np.zeros((1, 8))
    assert Cell(client, name, robot).collides(q).all()
    links = {element.link for element in robot.elements}
    own = [(a, b) for a in links for b in links]
    assert not Cell(client, name, robot, allowed=[(link, "wall") for link in links] + own).collides(q).any()
    away = Cell(client, name, robot, base=((9, 0, 0), (0, 0, 1, 0)), allowed=own)
    assert not away.collides(q).any()
    with pytest.raises(ValueError, match="a row has 8 joints: joint1"):
        away.collides(np.zeros((2, 7)))
    client.delete_set(name)


def test_what_is_not_known_is_refused(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text('<robot><link name="a"/><link name="b"/><joint name="j" type="floating"><parent link="a"/><child link="b"/></joint></robot>')
    with pytest.raises(ValueError, match="the joint 'j' is floating"):
        Robot.from_urdf(file)
    file.write_text('<robot><link name="a"><collision><geometry><mesh filename="package://x/y.stl"/></geometry></collision></link></robot>')
    with pytest.raises(FileNotFoundError, match="package://x/y.stl"):
        Robot.from_urdf(file)
