// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lists that grow by half.

#include "base/list.h"

#include <string.h>

void bi_list_init(GrowList* list, const BerthAllocator* allocator, size_t size) {
    *list = (GrowList){*allocator, NULL, 0, 0, size};
}

void bi_list_free(GrowList* list) {
    if (list->data != NULL) {
        bi_give(&list->allocator, list->data, list->capacity, list->size);
    }
    list->data = NULL;
    list->count = list->capacity = 0;
}

void* bi_list_more(GrowList* list, size_t more) {
    if (more > SIZE_MAX / 4 - list->count) {
        return NULL;
    }

    const size_t needed = list->count + more;
    if (needed > list->capacity || list->data == NULL) {
        size_t capacity = list->capacity + list->capacity / 2;
        capacity = capacity < needed ? needed : capacity;
        capacity = capacity < 16 ? 16 : capacity;
        void* data = bi_take(&list->allocator, capacity, list->size);
        if (data == NULL) {
            return NULL;
        }

        if (list->data != NULL) {
            memcpy(data, list->data, list->count * list->size);
            bi_give(&list->allocator, list->data, list->capacity, list->size);
        }

        list->data = data;
        list->capacity = capacity;
    }
    return (char*)list->data + list->count * list->size;
}
