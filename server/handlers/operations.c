/* The table of operations, one row each. */

#include "request/operations.h"

#include "handlers/handlers.h"
#include "handlers/query.h"

static const gjkd_cost nothing = {.kind = GJKD_COST_NONE};
static const gjkd_cost worker = {.kind = GJKD_COST_WORKER};
static const gjkd_cost shape = {.kind = GJKD_COST_SHAPE};
static const gjkd_cost shapes = {.kind = GJKD_COST_SHAPES};
static const gjkd_cost sets = {.kind = GJKD_COST_SETS};

#define STATELESS (GJKD_TAKES_BODY | GJKD_CHARGED)
#define QUERY (STATELESS | GJKD_READS_SET)
#define HOT (QUERY | GJKD_TAKES_COLUMNS | GJKD_ANSWERS_COLUMNS)
#define ASK(kind) &gjkd_query_kinds[kind].cost, gjkd_handle_query, .op = kind
#define MESSAGES(...)                   \
    .messages = (const char *const[]) { \
        __VA_ARGS__, NULL               \
    }
#define CHANGE (GJKD_CHARGED | GJKD_WRITES)
#define WRITE (GJKD_TAKES_BODY | CHANGE)
#define PATCH (WRITE | GJKD_TAKES_PATCH)
#define PUBLIC (GJKD_ANSWERS_ANY | GJKD_OPEN)

/* clang-format off */
const struct gjkd_operation gjkd_operations[] = {
    /* Queries, the frequent ones first. */
    {GJKD_POST, "/v1/sets/{set}/detect", "detectInSet",
     HOT, ASK(PROTO_OP_DETECT), MESSAGES("PairColumns", "OverlapColumns")},
    {GJKD_POST, "/v1/sets/{set}/distance", "distanceInSet",
     HOT, ASK(PROTO_OP_DISTANCE), MESSAGES("PairColumns", "NearestColumns")},
    {GJKD_POST, "/v1/sets/{set}/raycast", "raycastInSet",
     HOT, ASK(PROTO_OP_RAYCAST), MESSAGES("RaycastColumns")},
    {GJKD_POST, "/v1/sets/{set}/cast", "castInSet",
     HOT, ASK(PROTO_OP_CAST), MESSAGES("CastColumns")},
    {GJKD_POST, "/v1/sets/{set}/batch", "batchInSet",
     HOT | GJKD_TAKES_BLOCKS, &worker, .handler = gjkd_handle_batch, MESSAGES("BatchColumns")},
    {GJKD_POST, "/v1/sets/{set}/configurations", "configurationsInSet",
     HOT, &worker, .handler = gjkd_handle_configurations, MESSAGES("ConfigurationColumns")},
    {GJKD_POST, "/v1/sets/{set}/hit", "hitInSet", HOT, ASK(PROTO_OP_HIT), MESSAGES("HitColumns")},
    {GJKD_POST, "/v1/sets/{set}/move", "moveInSet",
     HOT, ASK(PROTO_OP_MOVE), MESSAGES("MoveColumns")},
    {GJKD_POST, "/v1/detect", "detect", STATELESS, ASK(PROTO_OP_DETECT)},
    {GJKD_POST, "/v1/distance", "distance", STATELESS, ASK(PROTO_OP_DISTANCE)},
    {GJKD_POST, "/v1/raycast", "raycast", STATELESS, ASK(PROTO_OP_RAYCAST)},
    {GJKD_POST, "/v1/cast", "cast", STATELESS, ASK(PROTO_OP_CAST)},
    {GJKD_POST, "/v1/batch", "batch", STATELESS, &worker, .handler = gjkd_handle_batch},

    /* Sets. */
    {GJKD_GET, "/v1/sets", "listSets",
     0, &sets, .handler = gjkd_handle_list_sets,
     .params = GJKD_PARAM_PREFIX | GJKD_PARAM_LIMIT | GJKD_PARAM_CURSOR},
    {GJKD_GET, "/v1/sets/{set}", "getSet",
     GJKD_READS_SET | GJKD_PACKED, &shapes, .handler = gjkd_handle_get_set,
     .params = GJKD_PARAM_FIELDS},
    {GJKD_PUT, "/v1/sets/{set}", "putSet",
     WRITE, &worker, .handler = gjkd_handle_put_set, .params = GJKD_PARAM_HANDLES},
    {GJKD_PATCH, "/v1/sets/{set}", "patchSet",
     PATCH, &worker, .handler = gjkd_handle_patch_set, .params = GJKD_PARAM_HANDLES},
    {GJKD_DELETE, "/v1/sets/{set}", "deleteSet",
     CHANGE, &worker, .handler = gjkd_handle_delete_set},
    {GJKD_GET, "/v1/sets/{set}/shapes/{id}", "getShape",
     GJKD_READS_SET | GJKD_PACKED, &shape, .handler = gjkd_handle_get_shape,
     .params = GJKD_PARAM_PIECES},
    {GJKD_PUT, "/v1/sets/{set}/shapes/{id}", "putShape",
     WRITE | GJKD_TAKES_COLUMNS, &worker, .handler = gjkd_handle_put_shape,
     MESSAGES("BodyColumns")},
    {GJKD_PATCH, "/v1/sets/{set}/shapes/{id}", "patchShape",
     PATCH, &worker, .handler = gjkd_handle_patch_shape},
    {GJKD_DELETE, "/v1/sets/{set}/shapes/{id}", "deleteShape",
     CHANGE, &worker, .handler = gjkd_handle_delete_shape},
    {GJKD_GET, "/v1/sets/{set}/events", "watchSet",
     GJKD_READS_SET | GJKD_ANSWERS_EVENTS, &nothing, .handler = gjkd_handle_events,
     .params = GJKD_PARAM_KINDS | GJKD_PARAM_SINCE | GJKD_PARAM_FILTER | GJKD_PARAM_WAIT},
    {GJKD_GET, "/v1/sets/{set}/ticks", "getTicks",
     GJKD_READS_SET, &nothing, .handler = gjkd_handle_get_ticks},
    {GJKD_GET, "/v1/sets/{set}/ticks/{tick}", "getTick",
     GJKD_READS_SET, &shapes, .handler = gjkd_handle_get_tick},
    {GJKD_PUT, "/v1/sets/{set}/ticks/{tick}", "putTick",
     WRITE | GJKD_TAKES_COLUMNS, &worker, .handler = gjkd_handle_put_tick, MESSAGES("PoseColumns")},
    {GJKD_POST, "/v1/sets/{set}/ticks/{tick}", "postTick",
     HOT | GJKD_TAKES_BLOCKS | GJKD_WRITES, &worker, .handler = gjkd_handle_post_tick,
     MESSAGES("TickColumns")},

    {GJKD_GET, "/v1/export", "exportSets",
     GJKD_LINES, &sets, .handler = gjkd_handle_export, .params = GJKD_PARAM_PREFIX},
    {GJKD_POST, "/v1/import", "importSets",
     WRITE | GJKD_LINES, &worker, .handler = gjkd_handle_import, .params = GJKD_PARAM_REPLACE},

    /* The daemon itself. */
    {GJKD_GET, "/", "root", PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_root},
    {GJKD_GET, "/playground/{file}", "playground",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_playground},
    {GJKD_GET, "/docs/", "docs", PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_docs},
    {GJKD_GET, "/docs/{page}", "docsPage",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_docs},
    {GJKD_GET, "/v1", "about", 0, &nothing, .handler = gjkd_handle_about},
    {GJKD_GET, "/v1/cluster", "getCluster", GJKD_CHARGED, &worker, .handler = gjkd_handle_cluster},
    {GJKD_GET, "/v1/stream", "openStream",
     GJKD_ANSWERS_ANY | GJKD_TOKEN_LATER, &nothing, .handler = gjkd_handle_stream},
    {GJKD_GET, "/openapi.json", "openapi",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_openapi},
    {GJKD_GET, "/gjkd.proto", "schema",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_schema},
    {GJKD_GET, "/livez", "live", PUBLIC, &nothing, .handler = gjkd_handle_live},
    {GJKD_GET, "/healthz", "health", PUBLIC, &nothing, .handler = gjkd_handle_live},
    {GJKD_GET, "/readyz", "ready", PUBLIC, &nothing, .handler = gjkd_handle_ready},
    {GJKD_GET, "/metrics", "metrics", GJKD_ANSWERS_ANY, &nothing, .handler = gjkd_handle_metrics},
    {GJKD_GET, "/problems/{code}", "explainProblem",
     PUBLIC, &nothing, .handler = gjkd_handle_problem},
};
/* clang-format on */

const unsigned gjkd_operation_count = sizeof gjkd_operations / sizeof gjkd_operations[0];
_Static_assert(sizeof gjkd_operations / sizeof gjkd_operations[0] < GJKD_OPERATIONS_MAX,
               "every operation has a number");
