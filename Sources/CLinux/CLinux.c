#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <resolv.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
#include <malloc.h>

static locale_t utf8;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_locale(void) { utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int opus_scalar_width(uint32_t scalar) {
    pthread_once(&once, open_locale);
    if (!utf8) return scalar < 0x20 ? -1 : 1;
    locale_t before = uselocale(utf8);
    int width = wcwidth((wchar_t)scalar);
    uselocale(before);
    return width;
}

int opus_rename_noreplace_in(int folder, const char *from, const char *to) {
    return renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int opus_rename_exchange_in(int folder, const char *from, const char *to) {
    return renameat2(folder, from, folder, to, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

int opus_fsync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int result = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    return result;
}

int opus_mount_of(const char *path, uint64_t *mount) {
    struct statx found;
#ifdef STATX_MNT_ID
    if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &found) == 0 && (found.stx_mask & STATX_MNT_ID)) {
        *mount = found.stx_mnt_id;
        return 0;
    }
#endif
    if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &found) != 0) return errno;
    *mount = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    return 0;
}

int opus_terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int opus_terminal_rows(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

int opus_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

void opus_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void opus_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

int opus_dns_query(const char *server, int port, const char *name, int type, int seconds, uint8_t *answer, int size) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1;
    if (server && *server) {
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons((uint16_t)port);
        if (inet_pton(AF_INET, server, &address.sin_addr) != 1) {
            res_nclose(&state);
            return -1;
        }
        state.nscount = 1;
        state.nsaddr_list[0] = address;
    }
    state.retrans = seconds;
    state.retry = 1;
    int length = res_nquery(&state, name, ns_c_in, type, answer, size);
    res_nclose(&state);
    return length;
}

int opus_pipe(int *reading, int *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

int opus_spawn_in_folder(void *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}
