/* Counts the steps that leave something behind - on disk or on a wire - and ends the process, or fails, at the n-th.
 *
 * LD_PRELOAD=shim.so with
 *     OPUS_SHIM_BELOW=DIR        files below DIR count; sockets always do
 *     OPUS_SHIM_COUNT=FILE       at the end: the number of steps, one line
 *     OPUS_SHIM_LOG=FILE         each write, fsync and renameat2 below DIR that was done, one a line, in order
 *     OPUS_SHIM_NAMES=FILE       each name below DIR that was made, moved or removed: the number of the step, and the name
 *     OPUS_SHIM_SLEEPS=FILE      each usleep: its microseconds, and the name of the thread
 *     OPUS_SHIM_KILL=N           SIGKILL at step N ...
 *     OPUS_SHIM_WHEN=before|after|torn    ... before it, after it, or in the middle of what it writes
 *     OPUS_SHIM_KILL_CHANGE=N    SIGKILL after the N-th name that was made, moved or removed outside of .opus and tmp folders
 *     OPUS_SHIM_FAIL=N OPUS_SHIM_ERRNO=28    step N on a file is answered with this errno
 *     OPUS_SHIM_TIMES=K          that many steps from N on are (1)
 * Only opus itself is counted: a child that it starts drops the counter.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long step, kill_at, changes, kill_at_change, fail_at, fail_times = 1;
static int fail_errno;
static const char *below, *count_file, *when = "before";
static int log_file = -1, names_file = -1, sleeps_file = -1;
static pid_t self;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void start(void) {
    below = getenv("OPUS_SHIM_BELOW");
    count_file = getenv("OPUS_SHIM_COUNT");
    kill_at = number("OPUS_SHIM_KILL");
    kill_at_change = number("OPUS_SHIM_KILL_CHANGE");
    fail_at = number("OPUS_SHIM_FAIL");
    fail_errno = (int)number("OPUS_SHIM_ERRNO");
    if (number("OPUS_SHIM_TIMES")) fail_times = number("OPUS_SHIM_TIMES");
    if (getenv("OPUS_SHIM_WHEN")) when = getenv("OPUS_SHIM_WHEN");
    self = getpid();
    if (getenv("OPUS_SHIM_LOG"))
        log_file = open(getenv("OPUS_SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("OPUS_SHIM_NAMES"))
        names_file = open(getenv("OPUS_SHIM_NAMES"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("OPUS_SHIM_SLEEPS"))
        sleeps_file = open(getenv("OPUS_SHIM_SLEEPS"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
    if (!count_file || getpid() != self) return;
    FILE *file = fopen(count_file, "w");
    if (!file) return;
    fprintf(file, "%ld\n", step);
    fclose(file);
}

static int is_below(const char *path) {
    return below && path && strncmp(path, below, strlen(below)) == 0;
}

static int is_socket(int fd) {
    int type;
    socklen_t size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

static int is_internet(int fd) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    return getsockname(fd, (struct sockaddr *)&address, &size) == 0
        && (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

enum place { elsewhere, on_disk, on_wire };

static enum place place_of(int fd) {
    char link[64], path[4096];
    if (getpid() != self) return elsewhere;
    if (is_socket(fd)) return is_internet(fd) ? on_wire : elsewhere;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return elsewhere;
    path[count] = 0;
    return is_below(path) ? on_disk : elsewhere;
}

static void note(const char *what, const char *path) {
    char line[4200];
    if (log_file < 0 || !is_below(path)) return;
    int size = snprintf(line, sizeof line, "%s %s\n", what, path);
    syscall(SYS_write, log_file, line, (size_t)size);
}

static void note_fd(const char *what, int fd) {
    char link[64], path[4096];
    if (log_file < 0) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return;
    path[count] = 0;
    note(what, path);
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

static int is_change(const char *path) {
    return !strstr(path, ".opus") && !strstr(path, "/tmp/") && !strstr(path, ".lock") && !strstr(path, "store.sqlite");
}

static void note_name(const char *path, int done) {
    char line[4200];
    if (done != 0 || getpid() != self) return;
    if (is_change(path)) {
        pthread_mutex_lock(&lock);
        long now = ++changes;
        pthread_mutex_unlock(&lock);
        if (now == kill_at_change) die();
    }
    if (names_file < 0) return;
    int size = snprintf(line, sizeof line, "%ld %s\n", step, path);
    syscall(SYS_write, names_file, line, (size_t)size);
}

enum fate { go_on, die_after, die_torn, fail };

/* Counts one step, and says what becomes of it. */
static enum fate meet(enum place place) {
    if (place == elsewhere || getpid() != self) return go_on;
    pthread_mutex_lock(&lock);
    long now = ++step;
    pthread_mutex_unlock(&lock);
    if (place == on_disk && fail_at && now >= fail_at && now < fail_at + fail_times) return fail;
    if (!kill_at || now != kill_at) return go_on;
    if (strcmp(when, "before") == 0) die();
    return strcmp(when, "torn") == 0 ? die_torn : die_after;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define FAILED (errno = fail_errno, -1)

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    enum fate fate = meet(place_of(fd));
    if (fate == fail) return FAILED;
    if (fate == die_torn) { real(fd, bytes, count / 2); die(); }
    ssize_t done = real(fd, bytes, count);
    note_fd("write", fd);
    if (fate == die_after) die();
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    enum fate fate = meet(place_of(fd));
    if (fate == fail) return FAILED;
    if (fate == die_torn) { real(fd, bytes, count / 2, at); die(); }
    ssize_t done = real(fd, bytes, count, at);
    note_fd("write", fd);
    if (fate == die_after) die();
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    REAL(pwrite64);
    enum fate fate = meet(place_of(fd));
    if (fate == fail) return FAILED;
    if (fate == die_torn) { real(fd, bytes, count / 2, at); die(); }
    ssize_t done = real(fd, bytes, count, at);
    note_fd("write", fd);
    if (fate == die_after) die();
    return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    enum fate fate = meet(place_of(fd));
    if (fate == fail) return FAILED;
    if (fate == die_torn) {
        struct iovec half = parts[0];
        half.iov_len /= 2;
        real(fd, &half, 1);
        die();
    }
    ssize_t done = real(fd, parts, count);
    if (fate == die_after) die();
    return done;
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
    REAL(send);
    enum fate fate = meet(place_of(fd));
    if (fate == die_torn) { real(fd, bytes, count / 2, flags); die(); }
    ssize_t done = real(fd, bytes, count, flags);
    if (fate == die_after) die();
    return done;
}

ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t size) {
    REAL(sendto);
    enum fate fate = meet(place_of(fd));
    ssize_t done = real(fd, bytes, fate == die_torn ? count / 2 : count, flags, to, size);
    if (fate == die_after || fate == die_torn) die();
    return done;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    REAL(sendmsg);
    enum fate fate = meet(place_of(fd));
    ssize_t done = real(fd, message, flags);
    if (fate == die_after || fate == die_torn) die();
    return done;
}

#define ON_DESCRIPTOR(name) \
    int name(int fd) { \
        REAL(name); \
        enum fate fate = meet(place_of(fd)); \
        if (fate == fail) return FAILED; \
        int done = real(fd); \
        if (done == 0) note_fd(#name, fd); \
        if (fate == die_after || fate == die_torn) die(); \
        return done; \
    }

ON_DESCRIPTOR(fsync)
ON_DESCRIPTOR(fdatasync)

/* A name counts when it is below the folder, or relative to an open folder that is. */
static enum place place_at(int fd, const char *path) {
    if (getpid() != self) return elsewhere;
    if (path && path[0] == '/') return is_below(path) ? on_disk : elsewhere;
    if (fd == AT_FDCWD) {
        char folder[4096];
        return getcwd(folder, sizeof folder) && is_below(folder) ? on_disk : elsewhere;
    }
    return place_of(fd);
}

#define ON_NAME(where, call, name) \
    enum place found = where; \
    enum fate fate = meet(found); \
    if (fate == fail) return FAILED; \
    int done = call; \
    if (found == on_disk) note_name(name, done); \
    if (fate == die_after || fate == die_torn) die(); \
    return done;

int rename(const char *from, const char *to) {
    REAL(rename);
    ON_NAME(place_at(AT_FDCWD, to), real(from, to), to)
}

int renameat(int a, const char *from, int b, const char *to) {
    REAL(renameat);
    ON_NAME(place_at(b, to), real(a, from, b, to), to)
}

int renameat2(int a, const char *from, int b, const char *to, unsigned int flags) {
    REAL(renameat2);
    enum place found = place_at(b, to);
    enum fate fate = meet(found);
    if (fate == fail) return FAILED;
    int done = real(a, from, b, to, flags);
    if (done == 0) { note("from", from); note("to", to); }
    if (found == on_disk) note_name(to, done);
    if (fate == die_after || fate == die_torn) die();
    return done;
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(linkat);
    ON_NAME(place_at(b, to), real(a, from, b, to, flags), to)
}

int link(const char *from, const char *to) {
    REAL(link);
    ON_NAME(place_at(AT_FDCWD, to), real(from, to), to)
}

int unlink(const char *path) {
    REAL(unlink);
    ON_NAME(place_at(AT_FDCWD, path), real(path), path)
}

int unlinkat(int fd, const char *path, int flags) {
    REAL(unlinkat);
    ON_NAME(place_at(fd, path), real(fd, path, flags), path)
}

int ftruncate(int fd, off_t size) {
    REAL(ftruncate);
    ON_NAME(place_of(fd), real(fd, size), "store.sqlite")
}

int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    ON_NAME(place_of(fd), real(fd, size), "store.sqlite")
}

int usleep(useconds_t time) {
    REAL(usleep);
    char line[64], thread[17] = "";
    if (sleeps_file >= 0 && getpid() == self && prctl(PR_GET_NAME, thread) == 0) {
        int size = snprintf(line, sizeof line, "%u %s\n", time, thread);
        syscall(SYS_write, sleeps_file, line, (size_t)size);
    }
    return real(time);
}
