/* Time of day for one program: that of the machine, plus the seconds in the file OPUS_TEST_CLOCK, which is read each time.

   Loaded with LD_PRELOAD. CLOCK_MONOTONIC and CLOCK_BOOTTIME are unchanged, as on a machine whose clock is set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long shift(void) {
    const char *path = getenv("OPUS_TEST_CLOCK");
    if (!path) return 0;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[32] = {0};
    long count = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    return count > 0 ? atoll(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
