#include <gjkd_client.h>
#include <stdio.h>

int main(int count, char **words) {
    struct gjkd_client *k = gjkd_client_new(count > 1 ? words[1] : "http://127.0.0.1:8080", NULL);
    json_t *pair =
        gjkd_distance(k, NULL,
                      json_pack("{s{ss sf} s{ss s[ff]}}", "a", "type", "circle", "radius", 0.5, "b",
                                "type", "point", "position", 3.0, 4.0),
                      NULL);
    printf("%g\n", json_number_value(json_object_get(pair, "distance")));
    json_decref(pair);
    gjkd_client_free(k);
    return 0;
}
