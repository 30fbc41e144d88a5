/* A doubly linked list, so that a reader leaves the queue in constant time. */

#include "watch/turns.h"

void gjkd_turns_add(struct gjkd_turns *turns, struct gjkd_turn *turn) {
    if (turn->link == NULL) {
        turn->next = NULL;
        turn->link = turns->first != NULL ? turns->end : &turns->first;
        *turn->link = turn;
        turns->end = &turn->next;
    }
}

bool gjkd_turns_remove(struct gjkd_turns *turns, struct gjkd_turn *turn) {
    if (turn->link == NULL) {
        return false;
    }
    *turn->link = turn->next;
    if (turn->next != NULL) {
        turn->next->link = turn->link;
    } else {
        turns->end = turn->link;
    }
    turn->link = NULL;
    return true;
}

bool gjkd_turns_give(struct gjkd_turns *turns) {
    struct gjkd_turn *turn = turns->first;
    if (turn != NULL) {
        (void)gjkd_turns_remove(turns, turn);
        turn->take(turn);
    }
    return turn != NULL;
}
