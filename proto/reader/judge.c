/*
 * Judges text by jansson, whose words on what is wrong clients know. A scan of our own checks the
 * nesting first, because jansson recurses and its own limit is 2,048 levels, ours 64. A count of
 * the brackets spares most bodies this scan; with that of the commas it tells the least memory that
 * jansson's tree will take, which may be 90 times the text, before it is built.
 *
 * jansson takes one pair of allocation functions for the whole process. Ours allocate from the
 * arena of the document that the calling thread is parsing at the moment. That spares malloc and
 * the walk that frees a tree node by node, it bounds the tree, and it tells a lack of memory from
 * bad syntax, which jansson does not always do.
 */

#include "reader/judge.h"

#include <jansson.h>

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

#define COUNTED_BLOCK 255 /* bytes, so that their counts fit into one */

/* The least memory that jansson's values take, and the length from which bodies are judged by it. */
#define VALUE_BYTES 32   /* a number, or a short string */
#define ARRAY_BYTES 112  /* with its first table */
#define OBJECT_BYTES 256 /* with its first buckets */
#define ESTIMATED_BYTES_MIN 65536

#define DECODING \
    (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL)

/* Steps of a block of a tree. */
#define BLOCK_STEPS 4

/* The document that this thread is parsing. jansson's callbacks carry no argument. */
static _Thread_local struct {
    struct gjk_arena *arena;
    jmp_buf *way_out; /* of load, while it is under way */
    bool failed;
    bool late; /* failed because the arena's budget was spent */
} parsing;

static bool is_late(void) {
    parsing.late = gjk_budget_spend(parsing.arena->budget, BLOCK_STEPS);
    return parsing.late;
}

static void *tree_alloc(size_t size) {
    void *block = parsing.arena != NULL && !is_late() ? gjk_arena_alloc(parsing.arena, size) : NULL;

    if (block == NULL) {
        parsing.failed = true;
        if (parsing.way_out != NULL) {
            longjmp(*parsing.way_out, 1);
        }
    }
    return block;
}

static void tree_free(void *block) {
    (void)block; /* goes with the arena */
}

static void install_allocation(void) {
    json_set_alloc_funcs(tree_alloc, tree_free);
}

struct spot {
    size_t line, column; /* from 1; columns count characters */
};

static struct spot spot_of(proto_text body, size_t offset) {
    struct spot spot = {1, 1};

    for (size_t i = 0; i < offset; i++) {
        unsigned char byte = (unsigned char)body.data[i];
        if (byte == '\n') {
            spot.line++;
            spot.column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            spot.column++;
        }
    }
    return spot;
}

/* The offset behind the string whose opening quote is at i. */
static size_t skip_string(proto_text body, size_t i) {
    for (i++; i < body.length && body.data[i] != '"'; i++) {
        if (body.data[i] == '\\') {
            i++;
        }
    }
    return i < body.length ? i + 1 : body.length;
}

/* Counts of the marks that open or separate values. */
typedef struct marks {
    size_t arrays, objects, commas;
} marks;

/*
 * Counts the marks, those in strings too. By blocks, because a loop with small counters and without
 * a second way out is turned into vector instructions.
 */
static marks count_marks(proto_text body) {
    marks all = {0, 0, 0};

    for (size_t start = 0; start < body.length; start += COUNTED_BLOCK) {
        const size_t left = body.length - start;
        const size_t end = start + (left < COUNTED_BLOCK ? left : COUNTED_BLOCK);
        uint8_t arrays = 0, objects = 0, commas = 0;
        for (size_t i = start; i < end; i++) {
            arrays = (uint8_t)(arrays + (body.data[i] == '['));
            objects = (uint8_t)(objects + (body.data[i] == '{'));
            commas = (uint8_t)(commas + (body.data[i] == ','));
        }
        all.arrays += arrays;
        all.objects += objects;
        all.commas += commas;
    }
    return all;
}

/* The same without those in strings, which is slower. */
static marks count_marks_outside_strings(proto_text body) {
    marks all = {0, 0, 0};

    for (size_t i = 0; i < body.length;) {
        if (body.data[i] == '"') {
            i = skip_string(body, i);
            continue;
        }
        all.arrays += body.data[i] == '[';
        all.objects += body.data[i] == '{';
        all.commas += body.data[i] == ',';
        i++;
    }
    return all;
}

/* A lower estimate of the memory that the tree will take. */
static size_t tree_bytes(const marks *all) {
    return all->commas * VALUE_BYTES + all->arrays * ARRAY_BYTES + all->objects * OBJECT_BYTES;
}

static bool refuse_memory(struct proto_problem *problem) {
    return proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                             "the body's JSON needs more memory than there is");
}

/* Refuses a tree before it is built if it would run out of memory. */
static bool check_memory(proto_text body, const marks *fast, const struct gjk_arena *arena,
                         struct proto_problem *problem) {
    if (body.length < ESTIMATED_BYTES_MIN || gjk_arena_can_take(arena, tree_bytes(fast))) {
        return true;
    }
    const marks exact = count_marks_outside_strings(body);
    return gjk_arena_can_take(arena, tree_bytes(&exact)) || refuse_memory(problem);
}

/* The offset of the next bracket or quote, from i on. */
static size_t skip_plain(proto_text body, size_t i) {
    static const bool is_structural[UCHAR_MAX + 1] = {
        ['"'] = true, ['['] = true, [']'] = true, ['{'] = true, ['}'] = true,
    };

    while (i < body.length && !is_structural[(unsigned char)body.data[i]]) {
        i++;
    }
    return i;
}

static bool refuse_depth(struct spot spot, struct proto_problem *problem) {
    proto_problem_set(problem, PROTO_MALFORMED_JSON,
                      "line %zu, column %zu: nested deeper than %d levels", spot.line, spot.column,
                      PROTO_DEPTH_MAX);
    return proto_problem_limit(problem, PROTO_DEPTH_MAX);
}

static bool check_depth(proto_text body, struct proto_problem *problem) {
    size_t depth = 0;

    for (size_t i = skip_plain(body, 0); i < body.length; i = skip_plain(body, i)) {
        char c = body.data[i];
        if (c == '"') {
            i = skip_string(body, i);
            continue;
        }
        if (c == '[' || c == '{') {
            depth++;
        } else if (depth > 0) {
            depth--;
        }
        if (depth > PROTO_DEPTH_MAX) {
            return refuse_depth(spot_of(body, i), problem);
        }
        i++;
    }
    return true;
}

/* Returns the text that jansson's message lacks about the fault. */
static const char *fault_text(enum json_error_code code) {
    switch ((int)code) {
    case json_error_duplicate_key:
        return "duplicate member: ";
    case json_error_numeric_overflow:
        return "number too large for a double: ";
    case json_error_invalid_utf8:
        return "invalid UTF-8: ";
    default:
        return "";
    }
}

static bool refuse(const json_error_t *error, struct proto_problem *problem) {
    if (parsing.late) {
        return proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                                 "time was up before all of it was read");
    }
    if (parsing.failed) {
        return refuse_memory(problem);
    }
    return proto_problem_set(problem, PROTO_MALFORMED_JSON, "line %d, column %d: %s%s", error->line,
                             error->column, fault_text(json_error_code(error)), error->text);
}

/*
 * Parses the text. jansson 2.14 does not notice when it found no memory for a string, and reads
 * beyond what it has of it; so our allocator leaves it by longjmp. Nothing leaks, because all that
 * jansson holds lies in the arena.
 */
static json_t *load(proto_text text, json_error_t *error) {
    jmp_buf way_out;

    parsing.way_out = &way_out;
    if (setjmp(way_out) == 0) {
        json_t *root = json_loadb(text.data, text.length, DECODING, error);
        parsing.way_out = NULL;
        return root;
    }
    parsing.way_out = NULL;
    return NULL;
}

/* --- From jansson's tree to ours --- */

static bool convert(const json_t *json, struct gjk_arena *arena, proto_value *out);

static bool convert_array(const json_t *json, struct gjk_arena *arena, proto_value *out) {
    const size_t count = json_array_size(json);
    proto_value *items = gjk_arena_alloc_array(arena, count, sizeof *items);
    bool is_done = items != NULL;

    for (size_t i = 0; is_done && i < count; i++) {
        is_done = convert(json_array_get(json, i), arena, &items[i]);
    }
    *out = (proto_value){.type = PROTO_ARRAY, .count = (uint32_t)count, .items = items};
    return is_done;
}

static bool convert_object(json_t *json, struct gjk_arena *arena, proto_value *out) {
    const size_t count = json_object_size(json);
    proto_value *pairs = gjk_arena_alloc_array(arena, 2 * count, sizeof *pairs), *at = pairs;
    const char *name;
    json_t *value;

    if (pairs == NULL) {
        return false;
    }
    json_object_foreach(json, name, value) {
        *at++ = (proto_value){.type = PROTO_STRING, .count = (uint32_t)strlen(name), .text = name};
        if (!convert(value, arena, at++)) {
            return false;
        }
    }
    *out = proto_object_of(pairs, (uint32_t)count);
    return true;
}

/* Texts stay in jansson's tree. False: out of memory. */
static bool convert(const json_t *json, struct gjk_arena *arena, proto_value *out) {
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return convert_object((json_t *)(uintptr_t)json, arena, out);
    case JSON_ARRAY:
        return convert_array(json, arena, out);
    case JSON_STRING:
        *out = (proto_value){.type = PROTO_STRING,
                             .count = (uint32_t)json_string_length(json),
                             .text = json_string_value(json)};
        return true;
    case JSON_INTEGER:
    case JSON_REAL:
        *out = (proto_value){.type = PROTO_NUMBER, .number = json_number_value(json)};
        return true;
    case JSON_TRUE:
        *out = (proto_value){.type = PROTO_TRUE};
        return true;
    case JSON_FALSE:
        *out = (proto_value){.type = PROTO_FALSE};
        return true;
    case JSON_NULL:
        break;
    }
    *out = (proto_value){.type = PROTO_NULL};
    return true;
}

bool proto_judge(proto_text text, struct gjk_arena *arena, proto_value *out,
                 struct proto_problem *problem) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t error = {0};

    const marks all = count_marks(text);
    if (all.arrays + all.objects > PROTO_DEPTH_MAX && !check_depth(text, problem)) {
        return false;
    }
    if (!check_memory(text, &all, arena, problem)) {
        return false;
    }
    pthread_once(&once, install_allocation);
    GJK_ASSERT(parsing.arena == NULL);
    parsing.arena = arena;
    parsing.failed = parsing.late = false;
    json_t *root = load(text, &error);
    parsing.arena = NULL;
    if (root == NULL) {
        return refuse(&error, problem);
    }
    return convert(root, arena, out) || refuse_memory(problem);
}
