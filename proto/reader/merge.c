/*
 * What does a JSON value become by a merge patch? RFC 7396, section 2, word for word: an object
 * is merged member by member, null removes a member, any other value replaces the old one whole.
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
        /* NULL is refused by set as well; a member that is merged in place stays where it is. */
        if (json_object_set(merged, name, member) != 0) {
            return NULL;
        }
    }
    return merged;
}
