/* Packed ticks. The row of a handle is found by bisection. A pose is made again from its position
 * and rotation, with the same bits. */

#include "scene/packed.h"

#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS (GJK_PACKED_TICKS + 1)

/* Returns the number of doubles of a position and a rotation. */
static uint32_t width_of(uint32_t dimension) {
    return dimension == 2 ? 3 : 7;
}

/* --- Reading --- */

/* Sets a body's pose to that of its row at a tick. */
static void unpack(const struct gjk_packed *packed, uint32_t row, uint32_t at, gjk_body *out) {
    const uint32_t width = width_of(packed->dimension);
    const double *n = packed->poses + ((size_t)row * COLUMNS + at) * width;
    gjk_status status;
    if (packed->dimension == 2) {
        status = gjk_pose_make2((gjk_vec2){n[0], n[1]}, n[2], &out->placed.pose);
    } else {
        const gjk_quat turn = {n[3], n[4], n[5], n[6]};
        status = gjk_pose_make3((gjk_vec3){n[0], n[1], n[2]}, turn, &out->placed.pose);
    }
    GJK_ASSERT(status == GJK_OK);
    (void)status;
}

/* Returns the row of a handle, or row_count if it has none. */
static uint32_t find_row(const struct gjk_packed *packed, uint32_t handle) {
    uint32_t low = 0, high = packed->row_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool is_less = packed->handles[middle] < handle;
        low = is_less ? middle + 1 : low;
        high = is_less ? high : middle;
    }
    return low < packed->row_count && packed->handles[low] == handle ? low : packed->row_count;
}

bool gjk_packed_pose(const struct gjk_packed *packed, uint32_t at, double alpha,
                     const gjk_body *body, gjk_pose *pose) {
    const uint32_t row = find_row(packed, body->handle);
    gjk_body from, next;
    if (row == packed->row_count) {
        return false;
    }
    from.placed.shape = next.placed.shape = body->placed.shape;
    unpack(packed, row, at, &from);
    if (alpha == 0.0 || (packed->stays[row] >> at & 1) != 0) {
        *pose = from.placed.pose;
        return true;
    }
    unpack(packed, row, at + 1, &next);
    *pose = gjk_pose_between(&from, &next, alpha);
    return true;
}

/* --- Ownership --- */

const struct gjk_packed *gjk_packed_retain(const struct gjk_packed *packed) {
    gjk_references_add(&packed->references);
    return packed;
}

void gjk_packed_release(const struct gjk_packed *packed) {
    if (packed != NULL && gjk_references_drop(&packed->references)) {
        gjk_tree_release(packed->tree);
        gjk_set_release(packed->set);
        free((void *)(uintptr_t)packed);
    }
}

static size_t block_bytes(uint32_t rows, uint32_t dimension) {
    const size_t row =
        (size_t)COLUMNS * width_of(dimension) * sizeof(double) + sizeof(uint32_t) + 1;
    return sizeof(struct gjk_packed) + rows * row;
}

size_t gjk_packed_bytes(const struct gjk_packed *packed) {
    return block_bytes(packed->row_count, packed->dimension) + gjk_tree_added_bytes(packed->tree);
}

/* --- Packing --- */

/* Bodies that get a row, as they are in the packing's set. */
typedef struct rows {
    const gjk_body **bodies; /* capacity: all bodies of the set */
    uint32_t count, sorted;  /* the first `sorted` are sorted by handle */
    uint32_t next;           /* position in the sorted part during one gjk_set_diff */
} rows;

static int compare_handles(const void *a, const void *b) {
    const uint32_t p = (*(const gjk_body *const *)a)->handle;
    const uint32_t q = (*(const gjk_body *const *)b)->handle;
    return p < q ? -1 : p > q;
}

/* Adds a body that differs in another set, unless it is listed. Called in the order of handles. */
static void add_row(void *user, const gjk_body *body, const gjk_body *other) {
    rows *all = user;
    (void)other;
    while (body != NULL && all->next < all->sorted &&
           all->bodies[all->next]->handle < body->handle) {
        all->next++;
    }
    if (body != NULL && !(all->next < all->sorted && all->bodies[all->next] == body)) {
        all->bodies[all->count++] = body;
    }
}

static void collect_rows(const struct gjk_set *const sets[COLUMNS], const struct gjk_set *bodies,
                         rows *all) {
    for (uint32_t i = 0; i < COLUMNS; i++) {
        all->next = 0;
        gjk_set_diff(bodies, sets[i], add_row, all);
        if (all->count > all->sorted) {
            qsort((void *)all->bodies, all->count, sizeof all->bodies[0], compare_handles);
        }
        all->sorted = all->count;
    }
}

/* Writes position and rotation of a pose. Returns false if the pose was not made from them. */
static bool put_pose(const gjk_body *body, uint32_t dimension, double *out) {
    const gjk_pose *pose = &body->placed.pose;
    const size_t turn_bytes = (width_of(dimension) - dimension) * sizeof(double);
    memcpy(out, &pose->position, dimension * sizeof(double));
    memcpy(out + dimension, &pose->turn, turn_bytes);
    return pose->form == (dimension == 2 ? GJK_POSE_ANGLE : GJK_POSE_QUATERNION);
}

/* Work space: arrays with one element per row. */
typedef struct packing {
    struct gjk_packed *packed;
    rows rows;
    const gjk_body **at[COLUMNS]; /* bodies at each tick, in one block; NULL: no such body */
    gjk_tree_change *changes;     /* from the first tick to the packing's set */
    gjk_bounds *boxes;            /* each encloses a body at all ticks */
} packing;

/* Returns a box that encloses a row's body at all ticks and between them. */
static gjk_bounds enclose(const packing *p, uint32_t row) {
    const gjk_body *middle = p->at[COLUMNS / 2][row];
    const gjk_bounds box = gjk_box_of(&middle->placed);
    const gjk_pose *way[COLUMNS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const bool is_asked =
            i < GJK_PACKED_TICKS || (p->packed->stays[row] >> (GJK_PACKED_TICKS - 1) & 1) == 0;
        if (is_asked) {
            way[count++] = &p->at[i][row]->placed.pose;
        }
    }
    return gjk_tree_motion_box(&middle->placed, &box, way, count);
}

/* Writes a row's poses and `stays`. Returns false if a pose cannot be packed. */
static bool fill_row(packing *p, uint32_t row, uint8_t *stays) {
    struct gjk_packed *packed = p->packed;
    const uint32_t dimension = packed->dimension, width = width_of(dimension);
    double *out = packed->poses + (size_t)row * COLUMNS * width;
    *stays = 0;
    for (uint32_t i = 0; i < COLUMNS; i++, out += width) {
        const gjk_body *body = p->at[i][row];
        if (i > 0 && (body == NULL || body == p->at[i - 1][row] || body->teleport)) {
            *stays |= (uint8_t)(1u << (i - 1));
        }
        GJK_ASSERT(body != NULL || i == GJK_PACKED_TICKS);
        if (body == NULL) {
            memset(out, 0, width * sizeof *out);
        } else if (!put_pose(body, dimension, out)) {
            return false;
        }
    }
    const gjk_body *last = p->at[GJK_PACKED_TICKS][row];
    packed->resting += last == p->at[GJK_PACKED_TICKS - 1][row] && last != p->rows.bodies[row];
    p->changes[row] = (gjk_tree_change){p->at[0][row], p->rows.bodies[row]};
    p->boxes[row] = enclose(p, row);
    return true;
}

/* Fills all rows. Returns false if a pose cannot be packed. */
static bool fill(packing *p, const struct gjk_set *const sets[COLUMNS]) {
    const struct gjk_packed *packed = p->packed;
    uint8_t *stays = (uint8_t *)(uintptr_t)packed->stays;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        p->at[i] = p->at[0] + (size_t)i * packed->row_count;
        gjk_set_find_handles(sets[i], packed->handles, packed->row_count, p->at[i]);
    }
    for (uint32_t row = 0; row < packed->row_count; row++) {
        if (!fill_row(p, row, &stays[row])) {
            return false;
        }
    }
    return true;
}

/* Allocates a packing of all rows, without its tree. Returns NULL if memory is exhausted. */
static struct gjk_packed *packed_alloc(const struct gjk_set *set, const rows *all) {
    const uint32_t dimension = gjk_set_dimension(set), count = all->count;
    struct gjk_packed *packed = malloc(block_bytes(count, dimension));
    if (packed == NULL) {
        return NULL;
    }
    uint32_t *handles =
        (uint32_t *)(void *)(packed->poses + (size_t)count * COLUMNS * width_of(dimension));
    *packed = (struct gjk_packed){.row_count = count,
                                  .dimension = dimension,
                                  .set = gjk_set_retain(set),
                                  .handles = handles,
                                  .stays = (uint8_t *)(handles + count)};
    gjk_references_init(&packed->references);
    for (uint32_t row = 0; row < count; row++) {
        handles[row] = all->bodies[row]->handle;
    }
    return packed;
}

/* Fills p->packed, and makes its tree. */
static gjk_status pack(packing *p, const struct gjk_set *const sets[COLUMNS],
                       const struct gjk_tree *span, const struct gjk_packed **out) {
    const size_t count = p->rows.count + (size_t)1;
    p->at[0] = malloc(COLUMNS * count * sizeof p->at[0][0]);
    p->changes = malloc(count * sizeof p->changes[0]);
    p->boxes = malloc(count * sizeof p->boxes[0]);
    if (p->packed == NULL || p->at[0] == NULL || p->changes == NULL || p->boxes == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    if (!fill(p, sets)) {
        return GJK_OK;
    }
    const gjk_status status =
        gjk_tree_span(span, p->changes, p->rows.count, p->boxes, &p->packed->tree);
    if (status == GJK_OK) {
        *out = gjk_packed_retain(p->packed);
    }
    return status;
}

/* Gives each body of a set a row. */
static void list_rows(const struct gjk_set *set, rows *all) {
    gjk_set_iterator bodies = gjk_set_iterate(set, NULL);
    all->count = 0;
    for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
        all->bodies[all->count++] = body;
    }
    qsort((void *)all->bodies, all->count, sizeof all->bodies[0], compare_handles);
}

gjk_status gjk_packed_new(const struct gjk_set *const sets[COLUMNS], const struct gjk_tree *span,
                          const struct gjk_packed *shared, const struct gjk_packed **out) {
    struct gjk_set *bodies = gjk_set_without_tree(sets[0]);
    const uint32_t count = gjk_set_count(sets[0]);
    packing p = {.packed = NULL};
    gjk_status status = GJK_OUT_OF_MEMORY;
    *out = NULL;
    p.rows.bodies = malloc(count * sizeof p.rows.bodies[0]);
    if (bodies != NULL && p.rows.bodies != NULL) {
        collect_rows(sets, bodies, &p.rows);
        const bool shares = shared != NULL && p.rows.count >= count - count / 4;
        if (shares) { /* resting bodies may be elsewhere in the shared set */
            list_rows(shared->set, &p.rows);
        }
        p.packed = packed_alloc(shares ? shared->set : bodies, &p.rows);
        status = pack(&p, sets, span, out);
        if (*out != NULL) {
            p.packed->has_own_set = !shares;
        }
        free((void *)p.at[0]);
        free(p.changes);
        free(p.boxes);
    }
    free((void *)p.rows.bodies);
    gjk_packed_release(p.packed);
    gjk_set_release(bodies);
    return status;
}
