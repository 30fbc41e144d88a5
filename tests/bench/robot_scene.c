/*
 * A robot of eight links, prisms of 12 points on ball joints in a row, and 2,000 hulls of 12 points
 * about it. Rows are what a planner asks: paths of 20 steps from one posture to another.
 */

#include "robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../support/rng.h"

#define POINTS 12
#define LINK_LENGTH 0.3
#define LINK_RADIUS 0.05
#define ROOM 3.5  /* obstacles stand in a cube of that half width */
#define CLEAR 0.5 /* but not so near to the base */
#define STEPS 20
#define BEND_MAX 0.9

static void must(gjk_status status) {
    if (status != GJK_OK) {
        fprintf(stderr, "no scene: status %d\n", (int)status);
        exit(1);
    }
}

/* A prism of six sides along x, from the joint at its origin. */
static void make_link(struct gjk_arena *arena, gjk_shape *out) {
    gjk_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        const double angle = (double)(i % 6) * (3.14159265358979323846 / 3.0);
        points[i] = (gjk_vec3){i < 6 ? 0.02 : LINK_LENGTH - 0.02, LINK_RADIUS * cos(angle),
                               LINK_RADIUS * sin(angle)};
    }
    must(gjk_shape_make_hull(arena, 3, points, POINTS, 0.0, out));
}

static void make_obstacle(struct gjk_arena *arena, test_rng *rng, gjk_shape *out) {
    gjk_vec3 points[POINTS];
    const double size = test_rng_uniform(rng, 0.05, 0.2);
    for (int i = 0; i < POINTS; i++) {
        points[i] = gjk_scale3(size, test_rng_direction(rng, 3));
    }
    must(gjk_shape_make_hull(arena, 3, points, POINTS, 0.0, out));
}

static gjk_vec3 place(test_rng *rng) {
    gjk_vec3 at;
    do {
        at = (gjk_vec3){test_rng_uniform(rng, -ROOM, ROOM), test_rng_uniform(rng, -ROOM, ROOM),
                        test_rng_uniform(rng, -ROOM, ROOM)};
    } while (gjk_length3(at) < CLEAR);
    return at;
}

static gjk_quat multiply(gjk_quat p, gjk_quat q) {
    return (gjk_quat){p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
                      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

/* Two angles a joint: about z, then about y. */
typedef struct posture {
    double bend[BENCH_ROBOT_LINKS][2];
} posture;

static posture choose_posture(test_rng *rng) {
    posture chosen;
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        const double most = i == 0 ? 3.0 : BEND_MAX;
        chosen.bend[i][0] = test_rng_uniform(rng, -most, most);
        chosen.bend[i][1] = test_rng_uniform(rng, -BEND_MAX, BEND_MAX);
    }
    return chosen;
}

static void put_row(bench_robot_world *world, int row, const posture *from, const posture *to,
                    double along) {
    gjk_vec3 joint = {0.0, 0.0, 0.0};
    gjk_quat turn = {0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        double half[2];
        for (int k = 0; k < 2; k++) {
            half[k] = 0.5 * (from->bend[i][k] + along * (to->bend[i][k] - from->bend[i][k]));
        }
        turn = multiply(turn, (gjk_quat){0.0, 0.0, sin(half[0]), cos(half[0])});
        turn = multiply(turn, (gjk_quat){0.0, sin(half[1]), 0.0, cos(half[1])});
        world->turns[row][i].orientation = turn;
        must(gjk_pose_make3(joint, turn, &world->poses[row][i]));
        joint = gjk_pose_apply(&world->poses[row][i], (gjk_vec3){LINK_LENGTH, 0.0, 0.0});
    }
}

void bench_robot_init(bench_robot_world *world) {
    test_rng rng = test_rng_make(16);
    gjk_arena_init(&world->arena, 0);
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        make_link(&world->arena, &world->links[i]);
    }
    for (int i = 0; i < BENCH_ROBOT_OBSTACLES; i++) {
        make_obstacle(&world->arena, &rng, &world->shapes[i]);
        world->obstacles[i] = (gjk_placed){&world->shapes[i], gjk_pose_identity()};
        world->obstacles[i].pose.position = place(&rng);
    }
    posture from = choose_posture(&rng), to = choose_posture(&rng);
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        if (row > 0 && row % STEPS == 0) {
            from = to;
            to = choose_posture(&rng);
        }
        put_row(world, row, &from, &to, (double)(row % STEPS) / STEPS);
    }
}

void bench_robot_fini(bench_robot_world *world) {
    gjk_arena_fini(&world->arena);
}

/* --- As the daemon is asked --- */

static FILE *open_file(const char *folder, const char *name) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        perror(path);
        exit(1);
    }
    return out;
}

static void put_vector(FILE *out, const char *before, gjk_vec3 v) {
    fprintf(out, "%s[%.17g,%.17g,%.17g]", before, v.x, v.y, v.z);
}

static void put_shape(FILE *out, const char *id, const gjk_shape *shape, gjk_vec3 at) {
    fprintf(out, "\"%s\":{\"type\":\"hull\",\"points\":", id);
    for (uint32_t i = 0; i < shape->count; i++) {
        put_vector(out, i == 0 ? "[" : ",", gjk_shape_point(shape, i));
    }
    put_vector(out, "],\"position\":", at);
    fputs("}", out);
}

static void write_set(const bench_robot_world *world, const char *folder) {
    FILE *out = open_file(folder, "set.json");
    char id[32];
    fputs("{\"dimension\":3,\"shapes\":{", out);
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        (void)snprintf(id, sizeof id, "link-%d", i);
        put_shape(out, id, &world->links[i], world->poses[0][i].position);
        fputs(",", out);
    }
    for (int i = 0; i < BENCH_ROBOT_OBSTACLES; i++) {
        (void)snprintf(id, sizeof id, "obstacle-%04d", i);
        put_shape(out, id, &world->shapes[i], world->obstacles[i].pose.position);
        fputs(i + 1 < BENCH_ROBOT_OBSTACLES ? "," : "}}", out);
    }
    fclose(out);
}

static void write_rows(const bench_robot_world *world, const char *folder, const char *name,
                       const char *report) {
    FILE *out = open_file(folder, name);
    fprintf(out, "{\"report\":\"%s\",\"self\":true,\"shapes\":[", report);
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        fprintf(out, "%s\"link-%d\"", i > 0 ? "," : "", i);
    }
    fputs("],\"allowed\":[", out);
    for (int i = 0; i + 1 < BENCH_ROBOT_LINKS; i++) {
        fprintf(out, "%s[\"link-%d\",\"link-%d\"]", i > 0 ? "," : "", i, i + 1);
    }
    fputs("],\"poses\":[", out);
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
            const gjk_quat q = world->turns[row][i].orientation;
            put_vector(out, i > 0 ? ",{\"position\":" : "[{\"position\":",
                       world->poses[row][i].position);
            fprintf(out, ",\"orientation\":[%.17g,%.17g,%.17g,%.17g]}", q.x, q.y, q.z, q.w);
        }
        fputs(row + 1 < BENCH_ROBOT_ROWS ? "]," : "]]}", out);
    }
    fclose(out);
}

static void put_varint(FILE *out, uint64_t value) {
    for (; value > 0x7f; value >>= 7) {
        putc((int)(value & 0x7f) | 0x80, out);
    }
    putc((int)value, out);
}

static void put_head(FILE *out, unsigned field, uint64_t bytes) {
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, bytes);
}

/* Handles are given in the order of ids: links come first, from 1 on. */
static void write_columns(const bench_robot_world *world, const char *folder, const char *name,
                          bool distance) {
    const uint64_t poses = (uint64_t)BENCH_ROBOT_ROWS * BENCH_ROBOT_LINKS;
    FILE *out = open_file(folder, name);
    fputs("\x08\x03", out);
    put_head(out, 2, BENCH_ROBOT_LINKS);
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        put_varint(out, (uint64_t)i + 1);
    }
    put_head(out, 3, poses * 3 * sizeof(double));
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
            fwrite(&world->poses[row][i].position, sizeof(double), 3, out);
        }
    }
    put_head(out, 4, poses * 4 * sizeof(double));
    fwrite(world->turns, sizeof world->turns, 1, out);
    fputs("\x28\x01", out); /* self */
    put_head(out, 6, 2 * (BENCH_ROBOT_LINKS - 1));
    for (int i = 0; i + 1 < BENCH_ROBOT_LINKS; i++) {
        put_varint(out, (uint64_t)i + 1);
        put_varint(out, (uint64_t)i + 2);
    }
    if (distance) {
        fputs("\x40\x01", out);
    }
    fclose(out);
}

void bench_robot_write(const bench_robot_world *world, const char *folder) {
    write_set(world, folder);
    write_rows(world, folder, "rows.json", "colliding");
    write_rows(world, folder, "distances.json", "distance");
    write_columns(world, folder, "rows.bin", false);
    write_columns(world, folder, "distances.bin", true);
}
