/* Does an event that joins commits bring a copy of any revision between them to the last one? */

#include <string.h>

#include "sets/feed.h"
#include "test_server.h"
#include "watch/event.h"

#define SET(shapes) "{'dimension':2,'shapes':{" shapes "}}"
#define POINT(x) "{'type':'point','position':[" x ",0]}"

static struct gjkd_registry *registry;
static struct gjkd_version *newest;

static void put(const char *body) {
    gjkd_version_release(newest);
    newest = test_put(registry, "s", body, NULL);
    ck_assert_ptr_nonnull(newest);
}

/* The JSON of what has changed since then. */
static void check_since(uint64_t since, const char *shapes) {
    struct gjkd_event *event = NULL;
    const gjkd_since from = {.order = since};
    ck_assert_int_eq(gjkd_event_since(&from, newest, 7, &event), GJKD_CAUGHT_UP);
    ck_assert_ptr_nonnull(event);
    char text[1024];
    ck_assert_uint_lt(event->length, sizeof text);
    memcpy(text, event->text + event->head, event->length);
    text[event->length] = '\0';
    const char *found = strstr(text, "\"shapes\":");
    ck_assert_ptr_nonnull(found);
    ck_assert_str_eq(found, shapes);
    gjkd_event_release(event);
}

TEST(what_came_and_went_is_told) {
    registry = gjkd_registry_new(10);
    newest = NULL;
    put(SET("'a':" POINT("1")));
    put(SET("'a':" POINT("2") ",'b':" POINT("0")));
    put(SET("'a':" POINT("1")));
    /* As at the first revision; but a copy of the second has to learn of both. */
    check_since(
        1, "\"shapes\":{\"a\":{\"type\":\"point\",\"position\":[1,0],\"handle\":1},\"b\":null}}");
    gjkd_version_release(newest);
    gjkd_registry_free(registry);
}
