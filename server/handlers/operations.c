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
    {GJKD_POST, "/v1/sets/{set}/detect", "detectInSet", "Do shapes collide, and how deep?",
     HOT, ASK(PROTO_OP_DETECT), MESSAGES("PairColumns", "OverlapColumns")},
    {GJKD_POST, "/v1/sets/{set}/distance", "distanceInSet", "How far apart are shapes?",
     HOT, ASK(PROTO_OP_DISTANCE), MESSAGES("PairColumns", "NearestColumns")},
    {GJKD_POST, "/v1/sets/{set}/raycast", "raycastInSet", "What does a ray hit?",
     HOT, ASK(PROTO_OP_RAYCAST), MESSAGES("RaycastColumns")},
    {GJKD_POST, "/v1/sets/{set}/cast", "castInSet", "What does a moving shape touch first?",
     HOT, ASK(PROTO_OP_CAST), MESSAGES("CastColumns")},
    {GJKD_POST, "/v1/sets/{set}/batch", "batchInSet",
     "Many queries at once, answered by one version.",
     HOT | GJKD_TAKES_BLOCKS, &worker, .handler = gjkd_handle_batch, MESSAGES("BatchColumns")},
    {GJKD_POST, "/v1/sets/{set}/configurations", "configurationsInSet",
     "With these shapes at these poses, row by row, does any collide, and how near are they?",
     HOT, &worker, .handler = gjkd_handle_configurations,
     MESSAGES("ConfigurationColumns")},
    {GJKD_POST, "/v1/sets/{set}/hit", "hitInSet",
     "Did this shot hit what it claims, as the world stood then?",
     HOT, ASK(PROTO_OP_HIT), MESSAGES("HitColumns")},
    {GJKD_POST, "/v1/sets/{set}/move", "moveInSet",
     "Where does a body end that slides along what it meets?",
     HOT, ASK(PROTO_OP_MOVE), MESSAGES("MoveColumns")},
    {GJKD_POST, "/v1/detect", "detect", "Do two inline shapes collide, and how deep?",
     STATELESS, ASK(PROTO_OP_DETECT)},
    {GJKD_POST, "/v1/distance", "distance", "How far apart are two inline shapes?",
     STATELESS, ASK(PROTO_OP_DISTANCE)},
    {GJKD_POST, "/v1/raycast", "raycast", "Which inline shapes does a ray hit?",
     STATELESS, ASK(PROTO_OP_RAYCAST)},
    {GJKD_POST, "/v1/cast", "cast", "Which inline shape does a moving one touch first?",
     STATELESS, ASK(PROTO_OP_CAST)},
    {GJKD_POST, "/v1/batch", "batch", "Many queries about inline shapes at once.",
     STATELESS, &worker, .handler = gjkd_handle_batch},

    /* Sets. */
    {GJKD_GET, "/v1/sets", "listSets", "The summaries of all sets, page by page.",
     0, &sets, .handler = gjkd_handle_list_sets,
     .params = GJKD_PARAM_PREFIX | GJKD_PARAM_LIMIT | GJKD_PARAM_CURSOR},
    {GJKD_GET, "/v1/sets/{set}", "getSet", "A whole set, or its summary.",
     GJKD_READS_SET | GJKD_PACKED, &shapes, .handler = gjkd_handle_get_set, .params = GJKD_PARAM_FIELDS},
    {GJKD_PUT, "/v1/sets/{set}", "putSet", "Create or replace a set.",
     WRITE, &worker, .handler = gjkd_handle_put_set, .params = GJKD_PARAM_HANDLES},
    {GJKD_PATCH, "/v1/sets/{set}", "patchSet", "Change a set by a merge patch.",
     PATCH, &worker, .handler = gjkd_handle_patch_set, .params = GJKD_PARAM_HANDLES},
    {GJKD_DELETE, "/v1/sets/{set}", "deleteSet", "Delete a set.",
     CHANGE, &worker, .handler = gjkd_handle_delete_set},
    {GJKD_GET, "/v1/sets/{set}/shapes/{id}", "getShape",
     "One shape, its handle and the set's revision.",
     GJKD_READS_SET | GJKD_PACKED, &shape, .handler = gjkd_handle_get_shape, .params = GJKD_PARAM_PIECES},
    {GJKD_PUT, "/v1/sets/{set}/shapes/{id}", "putShape", "Store or replace one shape.",
     WRITE | GJKD_TAKES_COLUMNS, &worker, .handler = gjkd_handle_put_shape,
     MESSAGES("BodyColumns")},
    {GJKD_PATCH, "/v1/sets/{set}/shapes/{id}", "patchShape", "Change one shape by a merge patch.",
     PATCH, &worker, .handler = gjkd_handle_patch_shape},
    {GJKD_DELETE, "/v1/sets/{set}/shapes/{id}", "deleteShape", "Remove one shape.",
     CHANGE, &worker, .handler = gjkd_handle_delete_shape},
    {GJKD_GET, "/v1/sets/{set}/events", "watchSet", "What happens to a set, as it happens.",
     GJKD_READS_SET | GJKD_ANSWERS_EVENTS, &nothing, .handler = gjkd_handle_events,
     .params = GJKD_PARAM_KINDS | GJKD_PARAM_SINCE | GJKD_PARAM_FILTER | GJKD_PARAM_WAIT},
    {GJKD_GET, "/v1/sets/{set}/ticks", "getTicks", "Which ticks does the set keep?",
     GJKD_READS_SET, &nothing, .handler = gjkd_handle_get_ticks},
    {GJKD_GET, "/v1/sets/{set}/ticks/{tick}", "getTick", "Where did everything stand at a tick?",
     GJKD_READS_SET, &shapes, .handler = gjkd_handle_get_tick},
    {GJKD_PUT, "/v1/sets/{set}/ticks/{tick}", "putTick", "The state at a game tick.",
     WRITE | GJKD_TAKES_COLUMNS, &worker, .handler = gjkd_handle_put_tick,
     MESSAGES("PoseColumns")},
    {GJKD_POST, "/v1/sets/{set}/ticks/{tick}", "postTick",
     "The state at a game tick, and questions to it.",
     HOT | GJKD_TAKES_BLOCKS | GJKD_WRITES, &worker, .handler = gjkd_handle_post_tick,
     MESSAGES("TickColumns")},

    {GJKD_GET, "/v1/export", "exportSets", "All sets, one a line.",
     GJKD_LINES, &sets, .handler = gjkd_handle_export, .params = GJKD_PARAM_PREFIX},
    {GJKD_POST, "/v1/import", "importSets", "Create the sets of an export.",
     WRITE | GJKD_LINES, &worker, .handler = gjkd_handle_import,
     .params = GJKD_PARAM_REPLACE},

    /* The daemon itself. */
    {GJKD_GET, "/", "root", "The playground for a browser, links for another client.",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_root},
    {GJKD_GET, "/playground/{file}", "playground", "A file of the playground.",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_playground},
    {GJKD_GET, "/docs/", "docs", "The documents, as pages.",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_docs},
    {GJKD_GET, "/docs/{page}", "docsPage", "A page of the documents.",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_docs},
    {GJKD_GET, "/v1", "about", "Name, version, limits and links.",
     0, &nothing, .handler = gjkd_handle_about},
    {GJKD_GET, "/v1/cluster", "getCluster", "Who is in the cluster, and how is its log?",
     GJKD_CHARGED, &worker, .handler = gjkd_handle_cluster},
    {GJKD_GET, "/v1/stream", "openStream", "A WebSocket on which calls and events travel.",
     GJKD_ANSWERS_ANY | GJKD_TOKEN_LATER, &nothing, .handler = gjkd_handle_stream},
    {GJKD_GET, "/openapi.json", "openapi", "This document.",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_openapi},
    {GJKD_GET, "/gjkd.proto", "schema", "The schema of column messages.",
     PUBLIC | GJKD_PACKED, &nothing, .handler = gjkd_handle_schema},
    {GJKD_GET, "/livez", "live", "Is the process alive?",
     PUBLIC, &nothing, .handler = gjkd_handle_live},
    {GJKD_GET, "/healthz", "health", "The same as /livez.",
     PUBLIC, &nothing, .handler = gjkd_handle_live},
    {GJKD_GET, "/readyz", "ready", "Does it want new work?",
     PUBLIC, &nothing, .handler = gjkd_handle_ready},
    {GJKD_GET, "/metrics", "metrics", "Counters in the text format of Prometheus.",
     GJKD_ANSWERS_ANY, &nothing, .handler = gjkd_handle_metrics},
    {GJKD_GET, "/problems/{code}", "explainProblem", "What a problem's code means.",
     PUBLIC, &nothing, .handler = gjkd_handle_problem},
};
/* clang-format on */

const unsigned gjkd_operation_count = sizeof gjkd_operations / sizeof gjkd_operations[0];
_Static_assert(sizeof gjkd_operations / sizeof gjkd_operations[0] < GJKD_OPERATIONS_MAX,
               "every operation has a number");
