/* How long does GEOS take to make rings valid? By its default method, whose areas are those of the
 * even-odd rule. */

#include "../regions.h"

#include <stdio.h>
#include <stdlib.h>

#include <geos_c.h>

static GEOSGeometry *make_ring(GEOSContextHandle_t geos, const gjk_vec2 *vertices, uint32_t count) {
    GEOSCoordSequence *places = GEOSCoordSeq_create_r(geos, count + 1, 2);
    for (uint32_t i = 0; i <= count; i++) {
        const gjk_vec2 v = vertices[i < count ? i : 0];
        GEOSCoordSeq_setXY_r(geos, places, i, v.x, v.y);
    }
    return GEOSGeom_createLinearRing_r(geos, places);
}

/* Polygons without holes. */
static GEOSGeometry *convert(GEOSContextHandle_t geos, const gjk_region *region) {
    GEOSGeometry *polygons[2];
    const gjk_vec2 *vertices = region->vertices;
    for (uint32_t i = 0; i < region->polygon_count; i++) {
        GEOSGeometry *ring = make_ring(geos, vertices, region->ring_sizes[i]);
        polygons[i] = GEOSGeom_createPolygon_r(geos, ring, NULL, 0);
        vertices += region->ring_sizes[i];
    }
    return GEOSGeom_createCollection_r(geos, GEOS_MULTIPOLYGON, polygons, region->polygon_count);
}

double bench_geos_make_valid(const gjk_region *region, double *nanoseconds) {
    GEOSContextHandle_t geos = GEOS_init_r();
    GEOSGeometry *rings = convert(geos, region);
    double area = 0;
    const double start = bench_nanoseconds();
    GEOSGeometry *valid = GEOSMakeValid_r(geos, rings);
    *nanoseconds = bench_nanoseconds() - start;
    if (valid == NULL || !GEOSArea_r(geos, valid, &area)) {
        (void)fputs("GEOS makes nothing of the rings\n", stderr);
        exit(1);
    }
    GEOSGeom_destroy_r(geos, valid);
    GEOSGeom_destroy_r(geos, rings);
    GEOS_finish_r(geos);
    return area;
}
