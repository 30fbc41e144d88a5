"""A made-up arm of seven joints, with the structure of a common one: links of meshes and simple shapes, a hand with
two fingers of which the second follows the first. And brute force over its pairs, which shares nothing with the client:
poses from matrices, separating axes of polytopes, round shapes between two polytopes."""

import itertools

import numpy as np

HALF = np.pi / 2
# Of each joint: place and roll of its frame in the one before, limits.
JOINTS = [((0, 0, 0.333), 0, 2.9), ((0, 0, 0), -HALF, 1.76), ((0, -0.316, 0), HALF, 2.9), ((0.0825, 0, 0), HALF, 2.0),
          ((-0.0825, 0.384, 0), -HALF, 2.9), ((0, 0, 0), HALF, 2.5), ((0.088, 0, 0), HALF, 2.9)]
SIDES = 48  # of the polytopes around and within what is round


def prism(sides, radius, length, around=False):
    """Corners of a prism about z; around: the circle is within it."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], 1) * radius / (np.cos(np.pi / sides) if around else 1)
    return np.concatenate([np.pad(ring, ((0, 0), (0, 1)), constant_values=z) for z in (-length / 2, length / 2)])


def prism_faces(sides):
    low, high = np.arange(sides), np.arange(sides) + sides
    after = np.roll(low, -1), np.roll(high, -1)
    fans = [(0, i + 1, i) for i in range(1, sides - 1)] + [(sides, sides + i, sides + i + 1) for i in range(1, sides - 1)]
    return np.array([*zip(low, after[0], high), *zip(after[0], after[1], high), *fans])


class Polytope:
    def __init__(self, corners, faces=None):
        """faces: triangles, outwards. Without: a prism's."""
        faces = prism_faces(len(corners) // 2) if faces is None else faces
        self.corners = corners
        normals = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
        self.normals = self.directions(normals)
        self.edges = self.directions(np.concatenate([corners[faces[:, i]] - corners[faces[:, i - 1]] for i in range(3)]))
        self.size = np.linalg.norm(corners, axis=1).max()

    @staticmethod
    def directions(vectors):
        """The directions of vectors, of opposite ones one."""
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        first = np.argmax(np.abs(unit) > 1e-9, axis=1)
        unit *= np.sign(unit[np.arange(len(unit)), first])[:, None]
        return unit[np.unique(np.round(unit, 9), axis=0, return_index=True)[1]]

    def at(self, pose):
        """Corners, normals and edges where a matrix puts it."""
        turn = pose[:3, :3].T
        return self.corners @ turn + pose[:3, 3], self.normals @ turn, self.edges @ turn, pose[:3, 3], self.size


def box(size):
    return np.array(list(itertools.product(*([-s / 2, s / 2] for s in size))))


BOX_FACES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def apart(a, b):
    """Are two polytopes apart? Some face of one, or two edges, tell."""
    if np.linalg.norm(a[3] - b[3]) > a[4] + b[4]:
        return True
    crossed = np.cross(a[2][:, None], b[2][None]).reshape(-1, 3)
    length = np.linalg.norm(crossed, axis=1)
    for axes in (a[1], b[1], crossed[length > 1e-9] / length[length > 1e-9, None]):
        mine, other = a[0] @ axes.T, b[0] @ axes.T
        if ((mine.min(0) > other.max(0)) | (other.min(0) > mine.max(0))).any():
            return True
    return False


def write_stl(path, corners, faces):
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records = np.zeros(len(faces), kind)
    records["corners"] = corners[faces]
    path.write_bytes(b"made up".ljust(80) + len(faces).to_bytes(4, "little") + records.tobytes())
    return corners.astype(np.float32).astype(float)


def matrix(place, roll=0.0, axis=(1, 0, 0)):
    """Of a turn about an axis, by Rodrigues, then a move."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], float)
    out = np.eye(4)
    out[:3, :3] += np.sin(roll) * k + (1 - np.cos(roll)) * k @ k
    out[:3, 3] = place
    return out


class Arm:
    """The arm's files in a folder, and brute force over its pairs."""

    def __init__(self, folder):
        (folder / "meshes").mkdir(parents=True)
        self.parts = []  # link, place, roll; the polytopes within and around its shape
        links, joints = [], []

        def link(name, *elements):
            text = ""
            for kind, arguments, place, roll in elements:
                text += f'<collision><origin xyz="{" ".join(map(str, place))}" rpy="{roll} 0 0"/><geometry>'
                text += self.geometry(folder, name, kind, arguments, place, roll) + "</geometry></collision>"
            links.append(f'<link name="{name}">{text}</link>')

        link("link0", ("box", (0.2, 0.2, 0.14), (0, 0, 0.07), 0))
        link("link1", ("mesh", (8, 0.06, 0.28), (0, 0, -0.15), 0))
        link("link2", ("cylinder", (0.06, 0.12), (0, 0, 0), 0), ("mesh", (6, 0.055, 0.2), (0, -0.14, 0), HALF))
        link("link3", ("sphere", (0.07,), (0, 0, -0.06), 0))
        link("link4", ("mesh", (7, 0.05, 0.15), (-0.0825, 0.08, 0), HALF), ("sphere", (0.06,), (0, 0, 0), 0))
        link("link5", ("cylinder", (0.05, 0.2), (0, 0, -0.2), 0), ("box", (0.08, 0.1, 0.1), (0, 0.04, -0.06), 0.3))
        link("link6", ("box", (0.1, 0.1, 0.1), (0.04, 0, 0), 0))
        link("link7", ("mesh", (8, 0.045, 0.08), (0, 0, 0.06), 0))
        link("hand", ("box", (0.06, 0.2, 0.06), (0, 0, 0.03), 0))
        for finger, place in (("finger1", 0.01), ("finger2", -0.01)):
            link(finger, ("box", (0.02, 0.016, 0.05), (0, place, 0.03), 0))
        for i, (place, roll, limit) in enumerate(JOINTS):
            joints.append(f'<joint name="joint{i + 1}" type="revolute"><parent link="link{i}"/><child link="link{i + 1}"/>'
                          f'<origin xyz="{" ".join(map(str, place))}" rpy="{roll} 0 0"/><axis xyz="0 0 1"/>'
                          f'<limit lower="{-limit}" upper="{limit}"/></joint>')
        joints.append('<joint name="wrist" type="fixed"><parent link="link7"/><child link="hand"/><origin xyz="0 0 0.107" rpy="0.5 0 0"/></joint>')
        joints.append('<joint name="grip" type="prismatic"><parent link="hand"/><child link="finger1"/><origin xyz="0 0 0.0584"/>'
                      '<axis xyz="0 1 0"/><limit lower="0" upper="0.04"/></joint>')
        joints.append('<joint name="follower" type="prismatic"><parent link="hand"/><child link="finger2"/><origin xyz="0 0 0.0584"/>'
                      '<axis xyz="0 -1 0"/><limit lower="0" upper="0.04"/><mimic joint="grip"/></joint>')
        self.urdf, self.srdf = folder / "arm.urdf", folder / "arm.srdf"
        self.urdf.write_text(f'<robot name="arm">{"".join(links + joints)}</robot>')
        self.srdf.write_text('<robot name="arm"><disable_collisions link1="finger1" link2="finger2" reason="Never"/>'
                             '<disable_collisions link1="link2" link2="link4" reason="Never"/></robot>')
        chain = [f"link{i}" for i in range(8)] + ["hand"]
        self.may_touch = {frozenset(p) for p in [*zip(chain, chain[1:]), ("hand", "finger1"), ("hand", "finger2"),
                                                 ("finger1", "finger2"), ("link2", "link4")]}
        self.surroundings = []
        self.shapes = {}
        for name, size, place in (("a-table", (1.2, 1.2, 0.1), (0.3, 0, -0.06)), ("post", (0.08, 0.08, 0.9), (0.45, 0.3, 0.45)),
                                  ("shelf", (0.3, 0.9, 0.03), (0.55, -0.35, 0.5))):
            self.shapes[name] = {"type": "box", "half_extents": [s / 2 for s in size], "position": list(place)}
            self.surroundings.append((name, Polytope(box(size), BOX_FACES).at(matrix(place))))

    def geometry(self, folder, name, kind, arguments, place, roll):
        if kind == "box":
            both = [Polytope(box(arguments), BOX_FACES)] * 2
            text = f'<box size="{" ".join(map(str, arguments))}"/>'
        elif kind == "mesh":
            corners = write_stl(folder / f"meshes/{name}.stl", prism(*arguments), prism_faces(arguments[0]))
            both = [Polytope(corners)] * 2
            text = f'<mesh filename="package://arm/meshes/{name}.stl"/>'
        elif kind == "cylinder":
            both = [Polytope(prism(SIDES, *arguments, around)) for around in (False, True)]
            text = f'<cylinder radius="{arguments[0]}" length="{arguments[1]}"/>'
        else:
            both = [arguments[0]] * 2
            text = f'<sphere radius="{arguments[0]}"/>'
        self.parts.append((name, matrix(place, roll), both))
        return text

    def poses(self, q):
        """The matrix of each link."""
        at = {"link0": np.eye(4)}
        for i, (place, roll, _) in enumerate(JOINTS):
            at[f"link{i + 1}"] = at[f"link{i}"] @ matrix(place, roll) @ matrix((0, 0, 0), q[i], (0, 0, 1))
        at["hand"] = at["link7"] @ matrix((0, 0, 0.107), 0.5)
        at["finger1"] = at["hand"] @ matrix((0, q[7], 0.0584))
        at["finger2"] = at["hand"] @ matrix((0, -q[7], 0.0584))
        return at

    def collides(self, q):
        """(Does what lies within the shapes collide, does what lies around them?) The truth is between the two."""
        at = self.poses(q)
        placed = [(link, *(self.placed(shape, at[link] @ pose) for shape in both)) for link, pose, both in self.parts]
        moving = [part for part in placed if part[0] != "link0"]
        pairs = [(a, b) for a, b in itertools.combinations(placed, 2) if a[0] != b[0] and frozenset((a[0], b[0])) not in self.may_touch]
        pairs += [(a, (name, shape, shape)) for a, (name, shape) in itertools.product(moving, self.surroundings)]
        near = False
        for (_, a, around_a), (_, b, around_b) in pairs:
            if meet(a, b):
                return True, True
            near = near or (a is not around_a or b is not around_b) and meet(around_a, around_b)
        return False, near

    def placed(self, shape, pose):
        return (shape, pose[:3, 3]) if isinstance(shape, float) else shape.at(pose)


def meet(a, b):
    if len(a) == 2 and len(b) == 2:
        return np.linalg.norm(a[1] - b[1]) <= a[0] + b[0]
    if len(a) == 2 or len(b) == 2:
        (radius, centre), other = (a, b) if len(a) == 2 else (b, a)
        return distance_to(centre, other) <= radius
    return not apart(a, b)


def distance_to(point, polytope):
    """How far a point is from a polytope, by Gilbert's method: ever nearer points between the nearest and a corner."""
    corners, normals = polytope[0], polytope[1]
    inside = all((corners @ n).min() <= point @ n <= (corners @ n).max() for n in normals)
    if inside:
        return 0.0
    nearest = corners.mean(0)
    active = [nearest]
    for _ in range(200):
        toward = point - nearest
        corner = corners[np.argmax(corners @ toward)]
        if toward @ (corner - nearest) < 1e-14:
            break
        active.append(corner)
        nearest, active = nearest_of(point, active)
    return np.linalg.norm(point - nearest)


def nearest_of(point, corners):
    """The point nearest to another in the hull of at most five, by trying the hulls of some of them."""
    best = None
    for count in range(1, min(len(corners), 4) + 1):
        for some in itertools.combinations(corners, count):
            base, edges = some[0], np.array([c - some[0] for c in some[1:]]).reshape(-1, 3)
            share = np.linalg.lstsq(edges @ edges.T, edges @ (point - base), rcond=None)[0] if count > 1 else np.zeros(0)
            if (share >= -1e-12).all() and share.sum() <= 1 + 1e-12:
                at = base + share @ edges
                if best is None or np.linalg.norm(point - at) < best[0] - 1e-15:
                    best = np.linalg.norm(point - at), at, list(some)
    return best[1], best[2]
