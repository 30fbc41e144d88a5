/*
 * Exact references by CGAL: see exact.h and exact_solid.h. Signed distance in 3D: where the interiors of
 * the shapes meet, the origin lies inside the hull of all differences a - b, and the
 * depth is its distance from the nearest plane of a face. The side of a mesh is told by the parity of a
 * ray's crossings, with another ray wherever one meets an edge (Side_of_triangle_mesh); of a region ring
 * by ring. In one file, since CGAL's headers take most of the time to compile.
 */

#include "exact.h"
#include "exact_solid.h"

#include <CGAL/Cartesian.h>
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_rational.h>
#include <CGAL/Polygon_2_algorithms.h>
#include <CGAL/Polytope_distance_d.h>
#include <CGAL/Polytope_distance_d_traits_3.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/convex_hull_2.h>
#include <CGAL/convex_hull_3.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace {

typedef CGAL::Exact_rational Rational;
typedef CGAL::Cartesian<Rational> Exact;
typedef CGAL::Exact_predicates_exact_constructions_kernel Filtered;
typedef Filtered::Point_3 Point;
typedef CGAL::Surface_mesh<Point> Mesh;
typedef CGAL::Polytope_distance_d_traits_3<Exact, Rational, Rational> DistanceTraits;

struct Vec {
    Rational x, y, z;
};

void place(const test_exact_body &body, std::vector<Vec> &points) {
    Rational q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = Rational(body.orientation[k]) + Rational(body.orientation_rest[k]);
    }
    const Rational &x = q[0], &y = q[1], &z = q[2], &w = q[3];
    Rational f = Rational(2) / (x * x + y * y + z * z + w * w), one(1);
    Rational r[3][3] = {{one - f * (y * y + z * z), f * (x * y - z * w), f * (x * z + y * w)},
                        {f * (x * y + z * w), one - f * (x * x + z * z), f * (y * z - x * w)},
                        {f * (x * z - y * w), f * (y * z + x * w), one - f * (x * x + y * y)}};
    for (Vec &p : points) {
        Rational to[3];
        for (int k = 0; k < 3; k++) {
            to[k] = r[k][0] * p.x + r[k][1] * p.y + r[k][2] * p.z + Rational(body.position[k]) +
                    Rational(body.fraction) * Rational(body.way[k]);
        }
        p = Vec{to[0], to[1], to[2]};
    }
    if (body.whole != nullptr) {
        place(*body.whole, points);
    }
}

std::vector<Vec> world_points(const test_exact_body &body) {
    std::vector<Vec> out;
    for (unsigned i = 0; i < body.count; i++) {
        const double *p = body.points + 3 * i;
        out.push_back(Vec{Rational(p[0]), Rational(p[1]), Rational(p[2])});
    }
    place(body, out);
    return out;
}

Point filtered(const Vec &v) {
    return Point(Filtered::FT(v.x), Filtered::FT(v.y), Filtered::FT(v.z));
}

Rational square_apart(const std::vector<Vec> &a, const std::vector<Vec> &b) {
    std::vector<Exact::Point_3> p, q;
    for (const Vec &v : a) {
        p.emplace_back(v.x, v.y, v.z);
    }
    for (const Vec &v : b) {
        q.emplace_back(v.x, v.y, v.z);
    }
    CGAL::Polytope_distance_d<DistanceTraits> distance(p.begin(), p.end(), q.begin(), q.end());
    return distance.squared_distance_numerator() / distance.squared_distance_denominator();
}

bool is_flat(const std::vector<Point> &points) {
    std::size_t n = points.size(), i = 1;
    while (i < n && points[i] == points[0]) {
        i++;
    }
    std::size_t j = i + 1;
    while (j < n && CGAL::collinear(points[0], points[i], points[j])) {
        j++;
    }
    std::size_t k = j + 1;
    while (k < n && CGAL::coplanar(points[0], points[i], points[j], points[k])) {
        k++;
    }
    return k >= n;
}

Point corner(const Mesh &mesh, Mesh::Halfedge_index h) {
    return mesh.point(mesh.target(h));
}

/* Least square of the origin's distance from a face's plane; -1 when it is outside. */
Rational square_deep(const Mesh &mesh) {
    bool first = true;
    Rational least(0);
    for (Mesh::Face_index face : mesh.faces()) {
        Mesh::Halfedge_index h = mesh.halfedge(face);
        Point p = corner(mesh, h), q = corner(mesh, mesh.next(h));
        Point r = corner(mesh, mesh.next(mesh.next(h)));
        Filtered::Vector_3 n = CGAL::cross_product(q - p, r - p);
        Filtered::FT offset = n * (p - CGAL::ORIGIN);
        if (offset < 0) {
            return Rational(-1);
        }
        Rational square = CGAL::exact(offset * offset) / CGAL::exact(n.squared_length());
        least = first || square < least ? square : least;
        first = false;
    }
    return least;
}

/* Do the faces around a vertex have three independent normals? Then it is a corner. */
bool is_corner(const Mesh &mesh, Mesh::Vertex_index v) {
    std::vector<Filtered::Vector_3> normals;
    for (Mesh::Halfedge_index h : CGAL::halfedges_around_target(v, mesh)) {
        Point p = corner(mesh, h), q = corner(mesh, mesh.next(h));
        Point r = corner(mesh, mesh.next(mesh.next(h)));
        normals.push_back(CGAL::cross_product(q - p, r - p));
    }
    for (std::size_t i = 0; i < normals.size(); i++) {
        for (std::size_t j = 0; j < i; j++) {
            for (std::size_t k = 0; k < j; k++) {
                if (CGAL::determinant(normals[i], normals[j], normals[k]) != 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

std::vector<Point> corners_of_solid(const std::vector<Point> &points) {
    Mesh mesh;
    CGAL::convex_hull_3(points.begin(), points.end(), mesh);
    std::vector<Point> out;
    for (Mesh::Vertex_index v : mesh.vertices()) {
        if (is_corner(mesh, v)) {
            out.push_back(mesh.point(v));
        }
    }
    return out;
}

/* In a plane or on a line: seen along an axis that the plane does not contain, which keeps
 * what is a corner. */
std::vector<Point> corners_of_flat(const std::vector<Point> &points) {
    std::vector<Point> best;
    for (int axis = 0; axis < 3; axis++) {
        std::vector<std::pair<Filtered::Point_2, Point>> seen;
        std::vector<Filtered::Point_2> flat, hull;
        for (const Point &p : points) {
            Filtered::Point_2 s(p[axis == 0 ? 1 : 0], p[axis == 2 ? 1 : 2]);
            seen.emplace_back(s, p);
            flat.push_back(s);
        }
        CGAL::convex_hull_2(flat.begin(), flat.end(), std::back_inserter(hull));
        std::vector<Point> out;
        for (const Filtered::Point_2 &h : hull) {
            auto same = [&](const std::pair<Filtered::Point_2, Point> &s) { return s.first == h; };
            out.push_back(std::find_if(seen.begin(), seen.end(), same)->second);
        }
        best = out.size() > best.size() ? out : best;
    }
    return best;
}

std::vector<Point> sorted(std::vector<Point> points) {
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
}

std::vector<Point> read(unsigned dimension, const double *points, unsigned count) {
    std::vector<Point> out;
    for (unsigned i = 0; i < count; i++) {
        const double *p = points + 3 * i;
        out.emplace_back(p[0], p[1], dimension == 3 ? p[2] : 0.0);
    }
    return out;
}

} // namespace

test_exact_distance test_exact_signed_distance(const test_exact_body *a, const test_exact_body *b) {
    std::vector<Vec> p = world_points(*a), q = world_points(*b);
    std::vector<Point> differences;
    for (const Vec &u : p) {
        for (const Vec &v : q) {
            differences.push_back(filtered(Vec{u.x - v.x, u.y - v.y, u.z - v.z}));
        }
    }
    test_exact_distance out = {0, 0, 0, !is_flat(differences)};
    Rational square(-1);
    if (out.solid) {
        Mesh mesh;
        CGAL::convex_hull_3(differences.begin(), differences.end(), mesh);
        square = square_deep(mesh);
        out.sign = square > 0 ? -1 : 0;
    }
    if (square < 0) {
        square = square_apart(p, q);
        out.sign = square > 0 ? 1 : 0;
    }
    out.square_high = CGAL::to_double(square);
    out.square_low = CGAL::to_double(Rational(square - Rational(out.square_high)));
    return out;
}

bool test_exact_is_hull(unsigned dimension, const double *points, unsigned count,
                        const double *kept, unsigned kept_count) {
    std::vector<Point> all = read(dimension, points, count);
    std::vector<Point> expected = is_flat(all) ? corners_of_flat(all) : corners_of_solid(all);
    std::vector<Point> got = read(dimension, kept, kept_count);
    return got.size() == expected.size() && sorted(got) == sorted(expected);
}

typedef std::vector<Filtered::Point_2> Ring;

struct test_exact_solid {
    Mesh mesh;
    std::unique_ptr<CGAL::Side_of_triangle_mesh<Mesh, Filtered>> side_of_mesh;
    std::vector<std::vector<Ring>> polygons; /* the outer ring first */
};

struct test_exact_solid *test_exact_mesh_new(const double *vertices, uint32_t vertex_count,
                                             const uint32_t *triangles, uint32_t triangle_count) {
    test_exact_solid *solid = new test_exact_solid;
    for (uint32_t i = 0; i < vertex_count; i++) {
        const double *p = vertices + 3 * i;
        solid->mesh.add_vertex(Filtered::Point_3(p[0], p[1], p[2]));
    }
    for (uint32_t i = 0; i < triangle_count; i++) {
        const uint32_t *t = triangles + 3 * i;
        solid->mesh.add_face(Mesh::Vertex_index(t[0]), Mesh::Vertex_index(t[1]),
                             Mesh::Vertex_index(t[2]));
    }
    if (solid->mesh.number_of_faces() != triangle_count) { /* edges of more than two triangles */
        delete solid;
        return nullptr;
    }
    solid->side_of_mesh.reset(new CGAL::Side_of_triangle_mesh<Mesh, Filtered>(solid->mesh));
    return solid;
}

struct test_exact_solid *test_exact_region_new(const double *vertices, const uint32_t *ring_sizes,
                                               const uint32_t *polygon_sizes,
                                               uint32_t polygon_count) {
    test_exact_solid *solid = new test_exact_solid;
    for (uint32_t i = 0; i < polygon_count; i++) {
        solid->polygons.emplace_back();
        for (uint32_t r = 0; r < polygon_sizes[i]; r++, ring_sizes++) {
            Ring ring;
            for (uint32_t k = 0; k < *ring_sizes; k++, vertices += 2) {
                ring.emplace_back(vertices[0], vertices[1]);
            }
            ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
            while (ring.size() > 1 && ring.back() == ring.front()) {
                ring.pop_back();
            }
            solid->polygons.back().push_back(ring);
        }
    }
    return solid;
}

void test_exact_solid_free(struct test_exact_solid *solid) {
    delete solid;
}

namespace {

int side_of_polygon(const std::vector<Ring> &rings, const Filtered::Point_2 &point) {
    int side = CGAL::bounded_side_2(rings[0].begin(), rings[0].end(), point, Filtered());
    for (std::size_t r = 1; r < rings.size(); r++) {
        const int hole = CGAL::bounded_side_2(rings[r].begin(), rings[r].end(), point, Filtered());
        side = std::min(side, -hole);
    }
    return side;
}

} // namespace

int test_exact_side(const struct test_exact_solid *solid, const double point[3]) {
    if (solid->side_of_mesh) {
        return (*solid->side_of_mesh)(Filtered::Point_3(point[0], point[1], point[2]));
    }
    int side = -1;
    for (const std::vector<Ring> &rings : solid->polygons) {
        side = std::max(side, side_of_polygon(rings, Filtered::Point_2(point[0], point[1])));
    }
    return side;
}
