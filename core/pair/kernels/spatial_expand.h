#ifndef GJK_PAIR_KERNELS_SPATIAL_EXPAND_H
#define GJK_PAIR_KERNELS_SPATIAL_EXPAND_H

/*
 * The expanding polytope algorithm (epa3.c) for two clouds in plain floating point, from a
 * tetrahedron around the origin. All faces are tested in lanes for whether they see a new point,
 * and its new faces are made in lanes, in blocks of their own. Rounding may falsify visibility near
 * a plane and leave the surface slightly concave, which does no harm: the final surface proves the
 * depth. It is closed, since each insertion replaces faces within one simple cycle of edges; all
 * its faces look away from the origin, at a distance no less than that of the nearest face, so that
 * a ray in any direction leaves it no nearer; and no point of the difference is beyond the nearest
 * face. A search that does not end like this, or meets a face without a certain normal, is left to
 * epa3.c, whose polytope is exact.
 */

#include "pair/gjk/simplex.h"
#include "pair/kernels.h"
#include "pair/kernels/spatial_clouds.h"
#include "pair/solution.h"

/* Largest number of vertices, one for each bit of a word, and of blocks of faces in all. */
enum { VERTICES_MAX = 64, BLOCKS_MAX = 128, FACES_MAX = BLOCKS_MAX * GJK_LANES };

/* Squared sine at the newest corner below which a face's normal is recomputed at once, and the
 * error of its distance, relative to the scale, down to that sine. */
#define NEEDLE 0x1p-30
#define VAGUE 0x1p-32

/* Least distance of all faces from the origin, relative to the scale. */
#define DISTANCE_LEAST 0x1p-44

/* Corners of a tetrahedron: differences of points of both clouds, and the indices of those
 * points. */
typedef struct tetrahedron {
    gjk_vec3 w[4];
    uint32_t on_a[4], on_b[4];
} tetrahedron;

/* Eight faces. The normals have any length. A point sees a face if its product with the normal is
 * above the threshold, which is INFINITY in lanes without a face. */
typedef struct block {
    _Alignas(64) double x[GJK_LANES], y[GJK_LANES], z[GJK_LANES];
    double threshold[GJK_LANES];
    double squared[GJK_LANES]; /* distance from the origin, negative behind it; INFINITY: removed */
} block;

/* In each lane the face nearest the origin: its signed squared distance and its block. */
typedef struct candidates {
    lanes squared, block;
} candidates;

/* Vertices at the other ends of the removed faces' directed edges: edges from and to one vertex. */
typedef struct star {
    uint64_t to, from;
} star;

/* The horizon, the cycle of edges around the removed faces: their ends in columns, and for each
 * vertex the end of its edge. */
typedef struct ring {
    _Alignas(64) double from[3][VERTICES_MAX + GJK_LANES], to[3][VERTICES_MAX + GJK_LANES];
    uint8_t next[VERTICES_MAX];
    uint64_t vertices;
    uint32_t count;
} ring;

/* The polytope. Face 8 b + l is lane l of block b. The lowest three bytes of its word in `corners`
 * are its corners, counter-clockwise from outside. */
typedef struct surface {
    block blocks[BLOCKS_MAX];
    ring around;
    star stars[VERTICES_MAX]; /* all empty except while faces are removed */
    gjk_vec3 w[VERTICES_MAX];
    uint32_t on_a[VERTICES_MAX], on_b[VERTICES_MAX];
    uint32_t corners[FACES_MAX + VERTICES_MAX]; /* has room for a ring beyond the last face */
    uint64_t seen[BLOCKS_MAX / 8];              /* bits of the faces that the newest vertex sees */
    uint8_t vague[BLOCKS_MAX];                  /* bits of the slivers, whose normals lack digits */
    uint64_t unused;                            /* bits of the vertices without a face */
    uint32_t count;                             /* number of blocks */
    double beyond; /* least height of a point above a face that it sees */
} surface;

/* Masks for the lanes past the last face of a block. */
static const double no_face[2 * GJK_LANES] = {
    -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,
    INFINITY,  INFINITY,  INFINITY,  INFINITY,  INFINITY,  INFINITY,  INFINITY,  INFINITY,
};

LANES_INLINE uint32_t corner_of(const surface *p, uint32_t face, uint32_t k) {
    return p->corners[face] >> (8 * k) & 0xff;
}

/* Recomputes a face's normal with length 1 and all digits. Returns false if they are not
 * certain. */
LANES_INLINE bool sharpen(surface *p, uint32_t face) {
    const gjk_vec3 *corner = &p->w[corner_of(p, face, 0)];
    block *at = &p->blocks[face / GJK_LANES];
    const uint32_t lane = face % GJK_LANES;
    gjk_vec3 n;
    if (!gjk_triangle_normal3(corner, &p->w[corner_of(p, face, 1)], &p->w[corner_of(p, face, 2)],
                              &n)) {
        return false;
    }
    const double distance = gjk_dot3(n, *corner);
    at->x[lane] = n.x;
    at->y[lane] = n.y;
    at->z[lane] = n.z;
    at->threshold[lane] = distance + p->beyond;
    at->squared[lane] = distance * fabs(distance);
    p->vague[face / GJK_LANES] &= (uint8_t)(0xffu ^ (1u << lane));
    return true;
}

/* Computes the planes of the next block: its first `count` faces, from edges of the ring to the
 * apex. Returns the lanes of needles. */
LANES_INLINE uint32_t make_planes(surface *p, uint32_t first, uint32_t count, gjk_vec3 apex) {
    const ring *r = &p->around;
    block *made = &p->blocks[p->count];
    const lanes ax = lanes_all(apex.x), ay = lanes_all(apex.y), az = lanes_all(apex.z);
    const lanes ux = lanes_sub(lanes_load(r->from[0] + first), ax);
    const lanes uy = lanes_sub(lanes_load(r->from[1] + first), ay);
    const lanes uz = lanes_sub(lanes_load(r->from[2] + first), az);
    const lanes vx = lanes_sub(lanes_load(r->to[0] + first), ax);
    const lanes vy = lanes_sub(lanes_load(r->to[1] + first), ay);
    const lanes vz = lanes_sub(lanes_load(r->to[2] + first), az);
    const lanes x = lanes_sub(lanes_mul(uy, vz), lanes_mul(uz, vy));
    const lanes y = lanes_sub(lanes_mul(uz, vx), lanes_mul(ux, vz));
    const lanes z = lanes_sub(lanes_mul(ux, vy), lanes_mul(uy, vx));
    const lanes squared = dot(x, y, z, x, y, z), along = dot(x, y, z, ax, ay, az);
    const lanes product = lanes_mul(dot(ux, uy, uz, ux, uy, uz), dot(vx, vy, vz, vx, vy, vz));
    const lanes unused = lanes_load_any(no_face + GJK_LANES - count);
    const lanes magnitude = lanes_larger(along, lanes_sub(lanes_all(0.0), along));
    const lanes beyond = lanes_mul(lanes_root(squared), lanes_all(p->beyond));
    lanes_store(made->x, x);
    lanes_store(made->y, y);
    lanes_store(made->z, z);
    lanes_store(made->threshold, lanes_larger(lanes_add(along, beyond), unused));
    lanes_store(made->squared,
                lanes_larger(lanes_divide(lanes_mul(along, magnitude), squared), unused));
    const uint32_t used = (1u << count) - 1;
    p->vague[p->count] =
        (uint8_t)(used & ~lanes_not_below(squared, lanes_mul(lanes_all(GJK_SLIVER), product)));
    return used & ~lanes_above(squared, lanes_mul(lanes_all(NEEDLE), product));
}

LANES_INLINE void put_end(double column[3][VERTICES_MAX + GJK_LANES], uint32_t k,
                          const gjk_vec3 *w) {
    column[0][k] = w->x;
    column[1][k] = w->y;
    column[2][k] = w->z;
}

/* Appends an edge to the horizon, and the corners of its face to an apex. */
LANES_INLINE void put_edge(surface *p, uint32_t from, uint32_t to, uint32_t apex) {
    ring *r = &p->around;
    put_end(r->from, r->count, &p->w[from]);
    put_end(r->to, r->count, &p->w[to]);
    r->next[from] = (uint8_t)to;
    p->corners[p->count * GJK_LANES + r->count] = from | to << 8 | apex << 16;
}

/* Returns true if the edges form one cycle, which visits all vertices. Always takes at least eight
 * steps, since the number needed is unpredictable. */
LANES_INLINE bool is_cycle(const ring *r) {
    uint64_t passed = 0;
    uint32_t v = (uint32_t)__builtin_ctzll(r->vertices);
    for (uint32_t k = 0; k < 8; k++) {
        passed |= UINT64_C(1) << v;
        v = r->next[v];
    }
    for (uint32_t k = 8; k < r->count; k++) {
        passed |= UINT64_C(1) << v;
        v = r->next[v];
    }
    return passed == r->vertices;
}

/* Makes the faces from the horizon's edges to an apex. Returns false if the horizon is not one
 * cycle, there is no room, or a face is a needle without a certain normal. */
LANES_INLINE bool make_fan(surface *p, uint32_t apex) {
    const ring *r = &p->around;
    const uint32_t blocks = (r->count + GJK_LANES - 1) / GJK_LANES;
    if (r->count < 3 || p->count + blocks > BLOCKS_MAX || !is_cycle(r)) {
        return false;
    }
    bool is_good = true;
    for (uint32_t i = 0; i < blocks; i++) {
        const uint32_t face = p->count * GJK_LANES, left = r->count - i * GJK_LANES;
        uint32_t needles =
            make_planes(p, i * GJK_LANES, left < GJK_LANES ? left : GJK_LANES, p->w[apex]);
        for (; needles != 0; needles &= needles - 1) {
            is_good &= sharpen(p, face + (uint32_t)__builtin_ctz(needles));
        }
        p->count++;
    }
    return is_good;
}

LANES_INLINE void take_nearer(candidates *n, lanes squared, uint32_t index) {
    n->block = lanes_where_less(squared, n->squared, lanes_all(index), n->block);
    n->squared = lanes_smaller(squared, n->squared);
}

LANES_INLINE void take_blocks(candidates *n, const surface *p, uint32_t from) {
    for (uint32_t i = from; i < p->count; i++) {
        take_nearer(n, lanes_load(p->blocks[i].squared), i);
    }
}

LANES_INLINE candidates no_candidates(void) {
    return (candidates){lanes_all(INFINITY), lanes_all(0.0)};
}

/* Returns the nearest face, the one in the lowest lane among equals. */
LANES_INLINE uint32_t nearest_face(const candidates *n) {
    _Alignas(64) double of[GJK_LANES];
    const uint32_t equal = lanes_equal(n->squared, lanes_least(n->squared));
    const uint32_t lane = (uint32_t)__builtin_ctz(equal | 1u << (GJK_LANES - 1));
    lanes_store(of, n->block);
    return (uint32_t)of[lane] * GJK_LANES + lane;
}

/* Starts with a tetrahedron: its base, and a fan over the edges of the base. */
LANES_INLINE bool begin_surface(surface *p, const tetrahedron *t, double beyond) {
    const gjk_vec3 n = gjk_cross3(gjk_sub3(t->w[1], t->w[0]), gjk_sub3(t->w[2], t->w[0]));
    const bool is_turned = !(gjk_dot3(n, gjk_sub3(t->w[3], t->w[0])) > 0.0);
    const uint32_t base = 3;
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < VERTICES_MAX; k += GJK_LANES) {
            lanes_store(p->around.from[axis] + k, lanes_all(0.0));
            lanes_store(p->around.to[axis] + k, lanes_all(0.0));
        }
    }
    for (uint32_t k = 0; k < VERTICES_MAX; k++) {
        p->stars[k].to = p->stars[k].from = 0;
    }
    p->beyond = beyond;
    p->unused = ~UINT64_C(15);
    p->count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t from = is_turned && k < 2 ? 1 - k : k;
        p->w[k] = t->w[from];
        p->on_a[k] = t->on_a[from];
        p->on_b[k] = t->on_b[from];
    }
    p->around.vertices = 7;
    for (p->around.count = 0; p->around.count < 3; p->around.count++) {
        put_edge(p, p->around.count, (p->around.count + 1) % 3, 3);
    }
    if (!make_fan(p, 3)) {
        return false;
    }
    p->corners[base] = 0 | 2 << 8 | 1 << 16;
    return sharpen(p, base);
}

/* Marks the faces that a point sees, and finds the nearest of the others. */
LANES_INLINE candidates look(surface *p, gjk_vec3 w) {
    const lanes x = lanes_all(w.x), y = lanes_all(w.y), z = lanes_all(w.z);
    const lanes gone = lanes_all(INFINITY);
    candidates n = no_candidates();
    for (uint32_t i = 0; i < p->count; i += 8) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < 8 && i + k < p->count; k++) {
            const block *at = &p->blocks[i + k];
            const lanes threshold = lanes_load(at->threshold), squared = lanes_load(at->squared);
            const lanes along =
                dot(lanes_load(at->x), lanes_load(at->y), lanes_load(at->z), x, y, z);
            bits |= (uint64_t)lanes_above(along, threshold) << (GJK_LANES * k);
            take_nearer(&n, lanes_where_less(threshold, along, gone, squared), i + k);
        }
        p->seen[i / 8] = bits;
    }
    return n;
}

/* Adds a face's directed edges to the stars of its corners. Returns the bits of the corners. */
LANES_INLINE uint64_t add_to_stars(surface *p, uint32_t face) {
    const uint32_t i = corner_of(p, face, 0), k = corner_of(p, face, 1), l = corner_of(p, face, 2);
    const uint64_t a = UINT64_C(1) << i, b = UINT64_C(1) << k, c = UINT64_C(1) << l;
    p->stars[i].to |= b;
    p->stars[i].from |= c;
    p->stars[k].to |= c;
    p->stars[k].from |= a;
    p->stars[l].to |= a;
    p->stars[l].from |= b;
    return a | b | c;
}

/* Removes the visible faces and sets the horizon and its faces to the apex. Returns false if two
 * horizon edges start at one vertex. A vertex whose outgoing edges all have opposite ones is inside
 * the removed part and becomes free; its edge is also written, but then overwritten. */
LANES_INLINE bool cut_seen(surface *p, uint32_t apex) {
    ring *r = &p->around;
    uint64_t touched = 0, forked = 0;
    for (uint32_t i = 0; i < p->count; i += 8) {
        for (uint64_t bits = p->seen[i / 8]; bits != 0; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            block *of = &p->blocks[i + at / GJK_LANES];
            touched |= add_to_stars(p, i * GJK_LANES + at);
            of->threshold[at % GJK_LANES] = INFINITY;
            of->squared[at % GJK_LANES] = INFINITY;
        }
    }
    r->count = 0;
    r->vertices = 0;
    for (uint64_t left = touched; left != 0; left &= left - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(left);
        const uint64_t to = p->stars[v].to & ~p->stars[v].from, is_edge = to != 0;
        p->stars[v].to = p->stars[v].from = 0;
        put_edge(p, v, (uint32_t)__builtin_ctzll(to | UINT64_C(1) << 63), apex);
        forked |= to & (to - 1);
        r->vertices |= is_edge << v;
        r->count += (uint32_t)is_edge;
    }
    p->unused |= touched & ~r->vertices;
    return forked == 0;
}

/* Adds a vertex to the surface. Returns false on failure; the surface is then unusable. */
LANES_INLINE bool insert(surface *p, uint32_t vertex, candidates *n) {
    const uint32_t made = p->count;
    *n = look(p, p->w[vertex]);
    if (!cut_seen(p, vertex) || !make_fan(p, vertex)) {
        return false;
    }
    p->unused &= ~(UINT64_C(1) << vertex);
    take_blocks(n, p, made);
    return true;
}

/* Returns true if a support point is a corner of the face. */
LANES_INLINE bool is_corner(const surface *p, uint32_t face, const uint32_t index[2]) {
    bool is_known = false;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = corner_of(p, face, k);
        is_known |= (p->on_a[v] == index[0]) & (p->on_b[v] == index[1]);
    }
    return is_known;
}

/* Recomputes all inaccurate faces that may be nearer than `distance`. */
LANES_INLINE bool sharpen_near(surface *p, double distance) {
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t bits = p->vague[i]; bits != 0; bits &= bits - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(bits);
            if (p->blocks[i].squared[lane] < distance * distance &&
                !sharpen(p, i * GJK_LANES + lane)) {
                return false;
            }
        }
    }
    return true;
}

/* Sets the points whose difference is the point of the nearest face's plane nearest the origin,
 * from a face that lies in that plane within the slack. */
LANES_INLINE void set_deepest_points(const clouds *c, extent size, const surface *p, double inner,
                                     double slack, gjk_solution *solution) {
    const gjk_vec3 foot = gjk_scale3(inner, solution->normal);
    const lanes most = lanes_all((inner + slack) * (inner + slack));
    gjk_simplex3 best = {.count = 0};
    double least = INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t bits = lanes_not_below(most, lanes_load(p->blocks[i].squared));
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t face = i * GJK_LANES + (uint32_t)__builtin_ctz(bits);
            gjk_simplex3 triangle;
            gjk_feature3 feature;
            triangle.count = 3;
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t v = corner_of(p, face, k);
                triangle.vertex[k].w = gjk_sub3(p->w[v], foot);
                triangle.vertex[k].a = point_of_a(c, p->on_a[v]);
                triangle.vertex[k].b = point_of_b(c, p->on_b[v], size);
            }
            (void)gjk_simplex3_find(&triangle, &feature);
            if (feature.squared < least) {
                least = feature.squared;
                gjk_simplex3_keep(&triangle, &feature);
                best = triangle;
            }
        }
    }
    gjk_simplex3_polish(&best);
    gjk_set_witness3(&best, solution);
}

/* Computes the solution from a tetrahedron around the origin. Returns false if another method
 * must. */
LANES_INLINE bool expand_clouds(const clouds *c, const few *f, extent size, const tetrahedron *t,
                                uint32_t steps_max, gjk_solution *solution) {
    const double scale = c->v->scale, rounding = c->v->rounding;
    const double least = DISTANCE_LEAST * scale;
    surface p;
    if (!begin_surface(&p, t, rounding)) {
        return false;
    }
    candidates n = no_candidates();
    take_blocks(&n, &p, 0);
    for (uint32_t step = 0; step < steps_max && p.unused != 0;) {
        const uint32_t face = nearest_face(&n), lane = face % GJK_LANES;
        const block *at = &p.blocks[face / GJK_LANES];
        if (!(at->squared[lane] > least * least)) {
            return false;
        }
        if ((p.vague[face / GJK_LANES] >> lane & 1) != 0) {
            if (!sharpen(&p, face)) {
                return false;
            }
            n = no_candidates();
            take_blocks(&n, &p, 0);
            continue;
        }
        const gjk_vec3 d = {at->x[lane], at->y[lane], at->z[lane]};
        const uint32_t newest = (uint32_t)__builtin_ctzll(p.unused);
        uint32_t index[2];
        support(c, f, d, size, index);
        step++;
        p.w[newest] = gjk_sub3(point_of_a(c, index[0]), point_of_b(c, index[1], size));
        p.on_a[newest] = index[0];
        p.on_b[newest] = index[1];
        const double along = gjk_dot3(d, p.w[newest]);
        if (!(along > at->threshold[lane]) || is_corner(&p, face, index)) {
            const double per_length = 1.0 / gjk_length3(d);
            const gjk_vec3 normal = gjk_scale3(per_length, d);
            const double inner = gjk_dot3(normal, p.w[corner_of(&p, face, 2)]);
            if (!sharpen_near(&p, inner + VAGUE * scale)) {
                return false;
            }
            n = no_candidates();
            take_blocks(&n, &p, 0);
            if (nearest_face(&n) != face) {
                continue;
            }
            solution->normal = normal;
            solution->lower = -per_length * along;
            solution->upper = -inner;
            solution->iterations = step;
            set_deepest_points(c, size, &p, inner, 4 * rounding, solution);
            return true;
        }
        if (!insert(&p, newest, &n)) {
            return false;
        }
    }
    return false;
}

#ifdef __OPTIMIZE_SIZE__
static bool expand(const clouds *c, const few *f, extent size, const tetrahedron *t,
                   uint32_t steps_max, gjk_solution *solution) {
    return expand_clouds(c, f, size, t, steps_max, solution);
}
#else
/* Each size has a stack frame of its own, so that pairs decided without a surface do not pay for
 * its pages. */
#define LANES_OWN_FRAME LANES_WHOLE __attribute__((noinline)) static

LANES_OWN_FRAME bool expand_few(const clouds *c, const few *f, const tetrahedron *t,
                                uint32_t steps_max, gjk_solution *solution) {
    return expand_clouds(c, f, FEW, t, steps_max, solution);
}

LANES_OWN_FRAME bool expand_some(const clouds *c, const few *f, const tetrahedron *t,
                                 uint32_t steps_max, gjk_solution *solution) {
    return expand_clouds(c, f, SOME, t, steps_max, solution);
}

LANES_OWN_FRAME bool expand_many(const clouds *c, const few *f, const tetrahedron *t,
                                 uint32_t steps_max, gjk_solution *solution) {
    return expand_clouds(c, f, MANY, t, steps_max, solution);
}

LANES_INLINE bool expand(const clouds *c, const few *f, extent size, const tetrahedron *t,
                         uint32_t steps_max, gjk_solution *solution) {
    return size == FEW    ? expand_few(c, f, t, steps_max, solution)
           : size == SOME ? expand_some(c, f, t, steps_max, solution)
                          : expand_many(c, f, t, steps_max, solution);
}
#endif

#endif
