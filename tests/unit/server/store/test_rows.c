/* Do rows come back as the shapes that they were made of, and is every flipped bit noticed? */

#include "store/row.h"
#include "util/hash.h"

#include <stdlib.h>
#include <string.h>

#include "support/set_body.h"
#include "test_server.h"

#define KEY gjkd_row_key(7, 3)

static struct gjkd_registry *registry;
static struct gjkd_version *version;
static struct gjk_arena arena;
static proto_limits limits;

static void setup(void) {
    registry = gjkd_registry_new(10);
    gjk_arena_init(&arena, 0);
    limits = proto_limits_default();
    version = test_put(registry, "s",
                       "{'dimension':3,'shapes':{"
                       "'bare':{'type':'box','half_extents':[1,2,3]},"
                       "'full':{'type':'mesh','vertices':[[0,0,0],[1,0,0],[0,1e-9,0]],"
                       "'triangles':[[0,1,2]],'one_sided':true,'rounding':0.25,'category':6,"
                       "'mask':5,'group':'g/h','meta':{'k':[1,2.5]},'position':[1,-2,1e20],"
                       "'orientation':[0,0,0.6,0.8]}}}",
                       NULL);
    ck_assert_ptr_nonnull(version);
}

static void teardown(void) {
    gjkd_version_release(version);
    gjkd_registry_free(registry);
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(setup, teardown)

static gjkd_row encode(const gjk_body *body, gjkd_place_row *place) {
    gjkd_place_encode(body, 3, KEY, gjkd_stored_origin(body), place);
    return (gjkd_row){
        .key = KEY,
        .dimension = 3,
        .id = body->id,
        .place = {(const char *)place->bytes, place->length},
        .shape = gjkd_shape_encode(body, KEY, &arena),
    };
}

static const gjk_body *decode(const gjkd_row *row) {
    const gjk_body *body = NULL;
    struct proto_problem problem;
    return gjkd_row_decode(row, &limits, &arena, &body, &problem) ? body : NULL;
}

static void check_alike(const gjk_body *a, const gjk_body *b) {
    struct proto_buffer p, q;
    const proto_stored of_a = gjkd_stored_view(a), of_b = gjkd_stored_view(b);
    proto_buffer_init(&p, &arena);
    proto_buffer_init(&q, &arena);
    proto_encode_shape(&p, 3, &of_a, 1, 1);
    proto_encode_shape(&q, 3, &of_b, 1, 1);
    ck_assert_uint_eq(p.length, q.length);
    ck_assert_mem_eq(p.data, q.data, p.length);
    ck_assert_str_eq(a->id, b->id);
    ck_assert_uint_eq(a->category, b->category);
    ck_assert_uint_eq(a->mask, b->mask);
    ck_assert(a->group == NULL ? b->group == NULL : strcmp(a->group, b->group) == 0);
    ck_assert_mem_eq(&a->placed.pose, &b->placed.pose, sizeof a->placed.pose);
}

TEST(rows_come_back) {
    for (uint32_t i = 0; i < 2; i++) {
        gjkd_place_row place;
        const gjk_body *body = test_set_body(version->set, i);
        const gjkd_origin origin = {i, 7 * i, 9 * i}; /* revision 0: it is left out */
        gjkd_stored_set_origin(body, origin);
        const gjkd_row row = encode(body, &place);
        const gjk_body *back = decode(&row);
        ck_assert_ptr_nonnull(back);
        ck_assert_uint_eq(back->handle, 3);
        ck_assert_uint_eq(gjkd_stored_origin(back).revision, origin.revision);
        ck_assert_uint_eq(gjkd_stored_origin(back).nonce, origin.nonce);
        ck_assert_uint_eq(gjkd_stored_origin(back).tick_end, origin.tick_end);
        check_alike(body, back);
        gjkd_stored_callbacks.release(back);
    }
}

/* part: of the row */
static void check_refused(const gjkd_row *row, proto_text *part) {
    char *bytes = malloc(part->length);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, part->data, part->length);
    part->data = bytes;
    for (size_t bit = 0; bit < 8 * part->length; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_msg(decode(row) == NULL, "bit %zu", bit);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t length = part->length; length > 0; length--) {
        part->length = length - 1;
        ck_assert_ptr_null(decode(row));
    }
    free(bytes);
}

TEST(damage_is_noticed) {
    gjkd_place_row place;
    gjkd_row row = encode(gjk_set_find(version->set, "full"), &place);
    gjkd_row other = row;
    other.id = "fuller";
    ck_assert_ptr_null(decode(&other));
    other = row;
    other.key++;
    ck_assert_ptr_null(decode(&other));
    other = row;
    check_refused(&other, &other.place);
    other = row;
    check_refused(&other, &other.shape);
}

/* A row whose checksum is right, with another definition. */
static bool is_taken(const char *definition) {
    gjkd_place_row place;
    gjkd_row row = encode(gjk_set_find(version->set, "bare"), &place);
    char bytes[256] = "\x01";
    const size_t length = 1 + strlen(definition);
    memcpy(bytes + 1, definition, length - 1);
    const uint64_t sum =
        gjkd_checksum(bytes, length, gjkd_checksum("bare", strlen("bare"), (uint64_t)KEY));
    memcpy(bytes + length, &sum, sizeof sum);
    row.shape = (proto_text){bytes, length + sizeof sum};
    const gjk_body *body = decode(&row);
    if (body != NULL)
        gjkd_stored_callbacks.release(body);
    return body != NULL;
}

TEST(only_definitions_are_taken) {
    ck_assert(is_taken("{\"type\":\"point\"}"));
    ck_assert(!is_taken("{\"type\":\"point\"} "));
    ck_assert(!is_taken(" {\"type\":\"point\"}"));
    ck_assert(!is_taken("{\"type\":\"point\",\"position\":[1,2,3]}"));
    ck_assert(!is_taken("{\"type\":\"point\",\"orientation\":[0,0,0,1]}"));
    ck_assert(!is_taken("{\"type\":\"circle\",\"radius\":1}"));
}
