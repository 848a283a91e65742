#ifndef OPUS_CLINUX_H
#define OPUS_CLINUX_H

// The glibc calls that Swift's Glibc module does not show.

#include <stdint.h>

/// Columns that a Unicode scalar takes in a terminal (wcwidth in a UTF-8 locale); -1 when unprintable.
int opus_scalar_width(uint32_t scalar);

/// renameat2(2) with RENAME_NOREPLACE, for two names in an open folder. Returns 0, or the errno.
int opus_rename_noreplace_in(int folder, const char *from, const char *to);

/// The same with RENAME_EXCHANGE.
int opus_rename_exchange_in(int folder, const char *from, const char *to);

/// fsync(2) of a folder or file by path. Returns 0, or the errno.
int opus_fsync_path(const char *path);

/// The mount that a path is on (statx(2)), or its device where the kernel does not say. Returns 0, or the errno.
int opus_mount_of(const char *path, uint64_t *mount);

/// Columns of the terminal on a file descriptor, or 0 when it is none.
int opus_terminal_columns(int fd);

/// The same for its rows.
int opus_terminal_rows(int fd);

/// A file in memory without a name, closed in child processes; -1 and errno when it cannot be made.
int opus_memory_file(const char *name);

/// A pipe whose ends, for reading and for writing, are closed in child processes (pipe2(2)). Returns 0, or the errno.
int opus_pipe(int *reading, int *writing);

/// Lets a child process begin in a folder (posix_spawn_file_actions_addchdir_np). Returns 0, or the errno.
int opus_spawn_in_folder(void *actions, const char *folder);

/// Names the calling thread (pthread_setname_np), with at most 15 bytes.
void opus_name_thread(const char *name);

/// At most so many heaps (mallopt with M_ARENA_MAX); call it before threads begin.
void opus_limit_arenas(int count);

/// Gives back to the system what a program at rest does not need: free memory (malloc_trim), and pages of its own file.
void opus_return_memory(void);

/// Asks the system's resolver, or one IPv4 address and port, for records of a type (res_nquery). Returns the length of the
/// answer, or -1.
int opus_dns_query(const char *server, int port, const char *name, int type, int seconds, uint8_t *answer, int size);

#endif
