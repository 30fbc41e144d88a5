/*
 * Merges a JSON merge patch into a value: RFC 7396, section 2, to the letter. An object is merged
 * member by member, null removes a member, any other value replaces the old one as a whole.
 */

#include "reader/document.h"

json_t *proto_merge(json_t *target, json_t *patch) {
    const char *name;
    json_t *value;

    if (!json_is_object(patch)) {
        return json_incref(patch);
    }
    json_t *merged = json_is_object(target) ? target : json_object();
    if (merged == NULL) {
        return NULL;
    }
    json_object_foreach(patch, name, value) {
        if (json_is_null(value)) {
            json_object_del(merged, name);
            continue;
        }
        json_t *member = proto_merge(json_object_get(merged, name), value);
        /* jansson's set refuses NULL too. A member that is merged in place keeps its position. */
        if (json_object_set(merged, name, member) != 0) {
            return NULL;
        }
    }
    return merged;
}
