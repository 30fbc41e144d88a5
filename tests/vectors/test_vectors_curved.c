/*
 * Are the answers to cases of curved shapes and of compounds right? See README.md. Each line goes through the
 * JSON decoder to the library; there is no brute force to ask besides.
 */

#include "proto/request.h"
#include "support/test.h"

#include "gjk/pair.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX (1 << 17)
#define SHOWN_MAX 12
/* Closer to touching than this, the input's own rounding or another's strictness decides. */
#define UNDECIDABLE 1e-9
/* The lines' normals of curved sides come from another iteration's last step. */
#define THEIR_NORMAL_ERROR 2e-2

typedef struct curved_file {
    const char *name;
    unsigned lines; /* so that a file that lost some cannot pass */
} curved_file;

static const curved_file files[] = {{"dyn4j_curved", 363},
                                    {"ref3d_curved", 239},
                                    {"compounds", 48}};
enum { FILE_COUNT = sizeof files / sizeof files[0] };

typedef struct curved_case {
    json_t *root;
    const json_t *expect;
    const char *op;
    double tolerance;
    proto_query query;
    gjk_placed a, b;
    const char *complaint; /* NULL: none */
    double got, wanted;
} curved_case;

static void complain(curved_case *c, const char *what, double got, double wanted) {
    if (c->complaint == NULL) {
        c->complaint = what;
        c->got = got;
        c->wanted = wanted;
    }
}

static bool expects(const curved_case *c, const char *name) {
    return json_object_get(c->expect, name) != NULL;
}

static bool expects_true(const curved_case *c, const char *name) {
    return json_is_true(json_object_get(c->expect, name));
}

static double number(const curved_case *c, const char *name) {
    return json_number_value(json_object_get(c->expect, name));
}

static gjk_vec3 vec(const curved_case *c, const char *name) {
    const json_t *v = json_object_get(c->expect, name);
    return (gjk_vec3){json_number_value(json_array_get(v, 0)),
                      json_number_value(json_array_get(v, 1)),
                      json_number_value(json_array_get(v, 2))};
}

static void compare(curved_case *c, const char *what, double got, double wanted) {
    if (!(fabs(got - wanted) <= c->tolerance * fmax(1.0, fabs(wanted)))) {
        complain(c, what, got, wanted);
    }
}

static void compare_vec(curved_case *c, const char *what, gjk_vec3 got, gjk_vec3 wanted,
                        double error) {
    double off = gjk_length3(gjk_sub3(got, wanted));
    if (!(off <= error)) {
        complain(c, what, off, 0.0);
    }
}

/* Distance, or minus the depth. What detect and distance owe each other is asked on the way. */
static double signed_distance(curved_case *c, const gjk_placed *b, gjk_detect_result *detect,
                              gjk_distance_result *distance) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const gjk_distance_settings distance_settings = gjk_distance_settings_default();
    *detect = gjk_detect(&c->a, b, &settings);
    *distance = gjk_distance(&c->a, b, &distance_settings);
    if (detect->state != distance->state) {
        complain(c, "states differ", (double)detect->state, (double)distance->state);
    }
    if (detect->depth_lower_bound > detect->depth || distance->lower_bound > distance->distance) {
        complain(c, "a lower bound is above its value", 0.0, 0.0);
    }
    return distance->distance > 0.0 ? distance->distance : -detect->depth;
}

/* Moved apart along that direction by their depth, the two touch: it is as right as ours. */
static bool is_as_right(curved_case *c, gjk_vec3 normal, double depth) {
    gjk_detect_result detect;
    gjk_distance_result distance;
    gjk_placed moved = c->b;
    moved.pose.position = gjk_add3(moved.pose.position, gjk_scale3(depth, normal));
    return fabs(signed_distance(c, &moved, &detect, &distance)) <= c->tolerance * fmax(1.0, depth);
}

static void run_pair(curved_case *c) {
    gjk_detect_result detect;
    gjk_distance_result distance;
    double s = signed_distance(c, &c->b, &detect, &distance);
    bool colliding = detect.state != GJK_SEPARATED;
    if (fabs(s) > UNDECIDABLE && colliding != expects_true(c, "colliding")) {
        complain(c, "the boolean", s, expects_true(c, "colliding"));
    }
    if (expects(c, "depth")) {
        gjk_vec3 normal = vec(c, "normal");
        compare(c, "depth", detect.depth, number(c, "depth"));
        if (gjk_length3(gjk_sub3(detect.normal, normal)) > c->tolerance &&
            !is_as_right(c, normal, detect.depth) &&
            !is_as_right(c, gjk_neg3(normal), detect.depth)) {
            compare_vec(c, "normal", detect.normal, normal, c->tolerance);
        }
    }
    if (expects(c, "distance")) {
        gjk_vec3 between = gjk_sub3(vec(c, "point_b"), vec(c, "point_a"));
        compare(c, "distance", distance.distance, number(c, "distance"));
        compare_vec(c, "point_b - point_a", gjk_sub3(distance.point_b, distance.point_a), between,
                    c->tolerance * fmax(1.0, distance.distance));
    }
}

static void run_signed(curved_case *c) {
    gjk_detect_result detect;
    gjk_distance_result distance;
    double s = signed_distance(c, &c->b, &detect, &distance);
    double wanted = number(c, "signed_distance"), error = c->tolerance * fmax(1.0, fabs(wanted));
    bool colliding = detect.state != GJK_SEPARATED;
    if (fabs(wanted) > UNDECIDABLE && colliding != (wanted < 0.0)) {
        complain(c, "the boolean", s, wanted);
    }
    if (expects_true(c, "depth_is_upper_bound")) {
        if (detect.depth_lower_bound > -wanted + UNDECIDABLE * fmax(1.0, fabs(wanted))) {
            complain(c, "depth_lower_bound", detect.depth_lower_bound, -wanted);
        }
        return;
    }
    if (fabs(s - wanted) > error && detect.convergence == GJK_CONVERGED) {
        complain(c, "signed distance", s, wanted);
    }
    if (wanted > 0.0
            ? distance.lower_bound > wanted + error || distance.distance < wanted - error
            : detect.depth_lower_bound > -wanted + error || detect.depth < -wanted - error) {
        complain(c, "the bounds do not enclose", s, wanted);
    }
    const double depth = detect.depth;
    gjk_placed moved = c->b;
    moved.pose.position = gjk_add3(moved.pose.position, gjk_scale3(depth, detect.normal));
    (void)signed_distance(c, &moved, &detect, &distance);
    if (depth > 0.0 && detect.state != GJK_TOUCHING && c->a.shape->pieces != NULL) {
        complain(c, "they do not touch after the depth", depth, 0.0);
    }
}

static void run_ray(curved_case *c) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.solid = c->query.solid;
    const gjk_placed target = {&c->query.target.shape, c->query.target.pose};
    gjk_ray_result r = gjk_raycast(&target, &c->query.ray, &settings);
    if (r.hit != expects_true(c, "hit")) {
        complain(c, "hit", r.hit, expects_true(c, "hit"));
    } else if (r.hit) {
        compare(c, "distance of the hit", r.distance, number(c, "distance"));
        compare_vec(c, "point", r.point, vec(c, "point"), c->tolerance);
        compare_vec(c, "normal", r.normal, vec(c, "normal"), THEIR_NORMAL_ERROR);
    }
}

static bool decode(curved_case *c, struct gjk_arena *arena) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem;
    char *text =
        json_dumps(json_object_get(c->root, "request"), JSON_COMPACT | JSON_REAL_PRECISION(17));
    ck_assert_ptr_nonnull(text);
    proto_op op = strcmp(c->op, "raycast") == 0    ? PROTO_OP_RAYCAST
                  : strcmp(c->op, "distance") == 0 ? PROTO_OP_DISTANCE
                                                   : PROTO_OP_DETECT;
    const proto_text body = {text, strlen(text)};
    bool decoded = proto_decode_query(body, op, 0, &limits, arena, &c->query, &problem);
    free(text);
    c->a = (gjk_placed){&c->query.a.shape, c->query.a.pose};
    c->b = (gjk_placed){&c->query.b.shape, c->query.b.pose};
    return decoded;
}

static void run_line(curved_case *c, struct gjk_arena *arena) {
    if (!decode(c, arena)) {
        complain(c, "refused", 0.0, 0.0);
    } else if (strcmp(c->op, "signed") == 0) {
        run_signed(c);
    } else if (strcmp(c->op, "raycast") == 0) {
        run_ray(c);
    } else {
        run_pair(c);
    }
}

static FILE *open_vectors(const char *name) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.jsonl", GJKD_VECTORS_FOLDER, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    return file;
}

TEST_EACH(every_line, 0, FILE_COUNT) {
    static char line[LINE_BYTES_MAX];
    FILE *file = open_vectors(files[_i].name);
    struct gjk_arena arena;
    unsigned lines = 0, wrong = 0;
    gjk_arena_init(&arena, 0);
    while (fgets(line, sizeof line, file) != NULL) {
        json_t *root = json_loads(line, JSON_DECODE_INT_AS_REAL, NULL);
        ck_assert_ptr_nonnull(root);
        static curved_case c;
        c = (curved_case){.root = root, .expect = json_object_get(root, "expect")};
        c.op = json_string_value(json_object_get(root, "op"));
        c.tolerance = json_number_value(json_object_get(root, "tolerance"));
        run_line(&c, &arena);
        lines++;
        if (c.complaint != NULL && wrong++ < SHOWN_MAX) {
            fprintf(stderr, "%s line %u (%s): %s: %.17g, expected %.17g\n", files[_i].name, lines,
                    json_string_value(json_object_get(root, "source")), c.complaint, c.got,
                    c.wanted);
        }
        json_decref(root);
        gjk_arena_reset(&arena);
    }
    (void)fclose(file);
    gjk_arena_fini(&arena);
    ck_assert_uint_eq(lines, files[_i].lines);
    ck_assert_msg(wrong == 0, "%s: %u of %u lines wrong", files[_i].name, wrong, lines);
}
