/* How fast is Embree 3 at single rays? In floats and robust mode, which lets no ray through
 * edges. */

#include "../worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <embree3/rtcore.h>

struct mesh {
    RTCDevice device;
    RTCScene scene;
};

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
