/* What does one line of a file of cases say? */

#include "vector.h"

#include "support/checks.h"
#include <stdlib.h>
#include <string.h>

static double number_of(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return value != NULL ? json_number_value(value) : 0.0;
}

static gjk_vec3 vec_of(const json_t *array) {
    gjk_vec3 v = {0, 0, 0};
    if (array != NULL) {
        v.x = json_number_value(json_array_get(array, 0));
        v.y = json_number_value(json_array_get(array, 1));
        v.z = json_array_size(array) > 2 ? json_number_value(json_array_get(array, 2)) : 0.0;
    }
    return v;
}

static test_body cloud_of(const json_t *shape, gjk_shape_type type, uint32_t dimension,
                          const char *member) {
    gjk_vec3 points[TEST_BODY_POINTS_MAX];
    const json_t *array = json_object_get(shape, member);
    size_t count = json_array_size(array);
    ck_assert_uint_le(count, TEST_BODY_POINTS_MAX);
    for (size_t i = 0; i < count; i++) {
        points[i] = vec_of(json_array_get(array, i));
    }
    return test_body_cloud(type, dimension, points, (uint32_t)count);
}

static test_body geometry_of(const json_t *shape, uint32_t dimension) {
    const char *type = json_string_value(json_object_get(shape, "type"));
    gjk_vec3 a = vec_of(json_object_get(shape, "a")), b = vec_of(json_object_get(shape, "b"));
    if (strcmp(type, "point") == 0 || strcmp(type, "circle") == 0 || strcmp(type, "sphere") == 0) {
        return test_body_ball(dimension, number_of(shape, "radius"));
    }
    if (strcmp(type, "segment") == 0 || strcmp(type, "capsule") == 0) {
        return test_body_segment(dimension, a, b, number_of(shape, "radius"));
    }
    if (strcmp(type, "box") == 0) {
        return test_body_box(dimension, vec_of(json_object_get(shape, "half_extents")));
    }
    if (strcmp(type, "polygon") == 0) {
        return cloud_of(shape, GJK_POLYGON, dimension, "vertices");
    }
    if (strcmp(type, "triangle") == 0) {
        const gjk_vec3 corners[3] = {a, b, vec_of(json_object_get(shape, "c"))};
        return test_body_cloud(GJK_TRIANGLE, dimension, corners, 3);
    }
    ck_assert_str_eq(type, "hull");
    return cloud_of(shape, GJK_HULL, dimension, "points");
}

static void read_body(const json_t *shape, uint32_t dimension, struct gjk_arena *arena,
                      test_body *body) {
    *body = geometry_of(shape, dimension);
    body->rounding = number_of(shape, "rounding");
    body->position = vec_of(json_object_get(shape, "position"));
    body->angle = number_of(shape, "angle");
    const json_t *q = json_object_get(shape, "orientation");
    if (q != NULL) {
        gjk_vec3 v = vec_of(q);
        body->orientation = (gjk_quat){v.x, v.y, v.z, json_number_value(json_array_get(q, 3))};
    }
    test_body_build(body, arena);
}

void test_vector_init(test_vector *vector, const char *line, struct gjk_arena *arena) {
    json_error_t error;
    vector->root = json_loads(line, JSON_DECODE_INT_AS_REAL, &error);
    ck_assert_msg(vector->root != NULL, "%s", error.text);
    const json_t *request = json_object_get(vector->root, "request");
    uint32_t dimension = (uint32_t)number_of(vector->root, "dimension");
    vector->source = json_string_value(json_object_get(vector->root, "source"));
    vector->op = json_string_value(json_object_get(vector->root, "op"));
    vector->tolerance = number_of(vector->root, "tolerance");
    vector->expect = json_object_get(vector->root, "expect");
    vector->request = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17));
    ck_assert_ptr_nonnull(vector->request);
    const json_t *a = json_object_get(request, "a"), *shape = json_object_get(request, "shape");
    read_body(a != NULL ? a : shape, dimension, arena, &vector->a);
    if (a != NULL) {
        read_body(json_object_get(request, "b"), dimension, arena, &vector->b);
    }
}

void test_vector_fini(test_vector *vector) {
    free(vector->request);
    json_decref(vector->root);
}

double test_vector_expected(const test_vector *vector, const char *name) {
    const json_t *value = json_object_get(vector->expect, name);
    return value != NULL ? json_number_value(value) : NAN;
}

bool test_vector_expects(const test_vector *vector, const char *name) {
    return json_object_get(vector->expect, name) != NULL;
}

gjk_vec3 test_vector_expected_vec(const test_vector *vector, const char *name) {
    return vec_of(json_object_get(vector->expect, name));
}
