#define _GNU_SOURCE
#include "CLinux.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Pages of segments that are never written are those of the file: they come back from its cache when they are needed.
static int drop_file_pages(struct dl_phdr_info *object, size_t size, void *none) {
    (void)size;
    (void)none;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int number = 0; number < object->dlpi_phnum; number++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t start = ((uintptr_t)object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = ((uintptr_t)object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void opus_return_memory(void) {
    malloc_trim(0);
    dl_iterate_phdr(drop_file_pages, 0);
}
