/* The symbol table of the ELF file that runs; elf(5). */

#define _GNU_SOURCE /* O_CLOEXEC */
#include "util/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the linker put the program's begin and the end of its code. */
extern const char __executable_start[];
extern const char etext[];

static const unsigned char *file;
static size_t file_bytes;
static const ElfW(Sym) * symbols;
static size_t symbol_count;
static const char *names;
static size_t names_bytes;

static bool is_inside(uint64_t offset, uint64_t bytes) {
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

/* Finds the table, and the texts that it refers to. */
static void find_table(void) {
    const ElfW(Ehdr) *head = (const void *)file;
    if (file_bytes < sizeof *head ||
        !is_inside(head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr)))) {
        return;
    }
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum) {
            continue;
        }
        const ElfW(Shdr) *texts = &sections[table->sh_link];
        if (is_inside(table->sh_offset, table->sh_size) && texts->sh_size > 0 &&
            is_inside(texts->sh_offset, texts->sh_size) &&
            file[texts->sh_offset + texts->sh_size - 1] == '\0') {
            symbols = (const void *)(file + table->sh_offset);
            symbol_count = table->sh_size / sizeof *symbols;
            names = (const char *)file + texts->sh_offset;
            names_bytes = texts->sh_size;
        }
    }
}

void gjkd_symbols_load(void) {
    struct stat status;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (memory != MAP_FAILED) {
            file = memory;
            file_bytes = (size_t)status.st_size;
            find_table();
        }
    }
    close(fd);
}

const char *gjkd_symbols_find(const void *address, uintptr_t *offset) {
    uintptr_t begin = (uintptr_t)__executable_start;
    uintptr_t at = (uintptr_t)address;
    if (at < begin || at >= (uintptr_t)etext) {
        return NULL;
    }
    for (size_t i = 0; i < symbol_count; i++) {
        const ElfW(Sym) *symbol = &symbols[i];
        uintptr_t from = begin + symbol->st_value;
        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && at >= from &&
            at - from < symbol->st_size && symbol->st_name < names_bytes) {
            *offset = at - from;
            return names + symbol->st_name;
        }
    }
    return NULL;
}
