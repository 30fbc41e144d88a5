/* How fast is Embree 3 at single rays, and at points and spheres by its point queries? In floats
 * and robust mode, which lets no ray through edges. */

#include "../worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <embree3/rtcore.h>

struct mesh {
    RTCDevice device;
    RTCScene scene;
    const float *vertices;
    const uint32_t (*triangles)[3];
};

typedef struct vec3f {
    float x, y, z;
} vec3f;

static vec3f minus(vec3f a, vec3f b) {
    return (vec3f){a.x - b.x, a.y - b.y, a.z - b.z};
}

static float dot(vec3f a, vec3f b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The square of the distance of p from a + s * u + t * v. */
static float square_at(vec3f p, vec3f a, vec3f u, float s, vec3f v, float t) {
    const vec3f off = {p.x - a.x - s * u.x - t * v.x, p.y - a.y - s * u.y - t * v.y,
                       p.z - a.z - s * u.z - t * v.z};
    return dot(off, off);
}

/* By the regions of the triangle (Ericson, Real-Time Collision Detection, 5.1.5). */
static float squared_distance(vec3f p, vec3f a, vec3f b, vec3f c) {
    const vec3f ab = minus(b, a), ac = minus(c, a), bc = minus(c, b);
    const vec3f ap = minus(p, a), bp = minus(p, b), cp = minus(p, c);
    const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp);
    const float d5 = dot(ab, cp), d6 = dot(ac, cp);
    const float of_c = d1 * d4 - d3 * d2, of_b = d5 * d2 - d1 * d6, of_a = d3 * d6 - d5 * d4;
    if (d1 <= 0 && d2 <= 0) {
        return dot(ap, ap);
    }
    if (d3 >= 0 && d4 <= d3) {
        return dot(bp, bp);
    }
    if (of_c <= 0 && d1 >= 0 && d3 <= 0) {
        return square_at(p, a, ab, d1 / (d1 - d3), ac, 0);
    }
    if (d6 >= 0 && d5 <= d6) {
        return dot(cp, cp);
    }
    if (of_b <= 0 && d2 >= 0 && d6 <= 0) {
        return square_at(p, a, ac, d2 / (d2 - d6), ab, 0);
    }
    if (of_a <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        return square_at(p, b, bc, (d4 - d3) / ((d4 - d3) + (d5 - d6)), ab, 0);
    }
    const float whole = of_a + of_b + of_c;
    return square_at(p, a, ab, of_b / whole, ac, of_c / whole);
}

struct nearest {
    const struct mesh *mesh;
    float square;
};

/* Called for each triangle in reach. */
static bool offer_triangle(struct RTCPointQueryFunctionArguments *of) {
    struct nearest *nearest = of->userPtr;
    const uint32_t *t = nearest->mesh->triangles[of->primID];
    const vec3f *v = (const vec3f *)nearest->mesh->vertices;
    const vec3f p = {of->query->x, of->query->y, of->query->z};
    const float square = squared_distance(p, v[t[0]], v[t[1]], v[t[2]]);
    if (square >= nearest->square) {
        return false;
    }
    nearest->square = square;
    of->query->radius = sqrtf(square);
    return true;
}

static float find_distance(const struct mesh *mesh, const gjk_placed *probe, float reach) {
    struct RTCPointQuery query = {.x = (float)probe->pose.position.x,
                                  .y = (float)probe->pose.position.y,
                                  .z = (float)probe->pose.position.z,
                                  .radius = reach};
    struct nearest nearest = {mesh, reach * reach};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(mesh->scene, &query, &context, NULL, &nearest);
    return sqrtf(nearest.square);
}

static void pass_detect(const void *m, const bench_landscape_world *world, int probe,
                        double *answers) {
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        const gjk_placed *ball = &world->probes[probe][i];
        const float radius = (float)ball->shape->radius;
        answers[i] = find_distance(m, ball, radius) < radius;
    }
}

static void pass_distance(const void *m, const bench_landscape_world *world, int probe,
                          double *answers) {
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        const gjk_placed *ball = &world->probes[probe][i];
        answers[i] = fmax(find_distance(m, ball, INFINITY) - (float)ball->shape->radius, 0.0);
    }
}

static void *begin(const bench_landscape_world *world) {
    struct mesh *mesh = malloc(sizeof *mesh);
    mesh->device = rtcNewDevice("threads=1");
    mesh->scene = rtcNewScene(mesh->device);
    rtcSetSceneFlags(mesh->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(mesh->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *v = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12,
                                       world->vertex_count);
    for (uint32_t i = 0; i < world->vertex_count; i++) {
        v[3 * i] = (float)world->vertices[i].x;
        v[3 * i + 1] = (float)world->vertices[i].y;
        v[3 * i + 2] = (float)world->vertices[i].z;
    }
    memcpy(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12,
                                   world->triangle_count),
           world->triangles, 12 * (size_t)world->triangle_count);
    mesh->vertices = v;
    mesh->triangles = (const uint32_t(*)[3])world->triangles;
    rtcSetGeometryPointQueryFunction(geometry, offer_triangle);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(mesh->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(mesh->scene);
    return mesh;
}

static void end(void *m) {
    struct mesh *mesh = m;
    rtcReleaseScene(mesh->scene);
    rtcReleaseDevice(mesh->device);
    free(mesh);
}

static struct RTCRay ray_of(const gjk_ray *ray) {
    return (struct RTCRay){.org_x = (float)ray->origin.x,
                           .org_y = (float)ray->origin.y,
                           .org_z = (float)ray->origin.z,
                           .dir_x = (float)ray->direction.x,
                           .dir_y = (float)ray->direction.y,
                           .dir_z = (float)ray->direction.z,
                           .tfar = (float)ray->max_distance,
                           .mask = -1u};
}

static void pass_ray(const void *m, const bench_landscape_world *world, int probe,
                     double *answers) {
    const struct mesh *mesh = m;
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        struct RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        struct RTCRayHit hit = {.ray = ray_of(&world->rays[i])};
        hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(mesh->scene, &context, &hit);
        answers[i] = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID ? hit.ray.tfar : BENCH_WORLD_NONE;
    }
}

static void pass_any(const void *m, const bench_landscape_world *world, int probe,
                     double *answers) {
    const struct mesh *mesh = m;
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        struct RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        struct RTCRay ray = ray_of(&world->rays[i]);
        rtcOccluded1(mesh->scene, &context, &ray);
        answers[i] = ray.tfar < 0;
    }
}

const struct bench_world_peer bench_world_embree = {"Embree",
                                                    begin,
                                                    end,
                                                    NULL,
                                                    {pass_ray, pass_any, NULL, NULL, NULL}};
const struct bench_world_peer bench_mesh_embree =
    {"Embree", begin, end, NULL, {pass_ray, pass_any, pass_detect, pass_distance, NULL}};
