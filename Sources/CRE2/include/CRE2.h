#ifndef OPUS_CRE2_H
#define OPUS_CRE2_H

// RE2 behind a plain C interface: regular expressions whose time is linear in the text, whatever a
// stranger sends. No C++ type is visible to Swift.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opus_re2 opus_re2;

/// Compiles a UTF-8 pattern, using at most max_memory bytes for the program and its caches.
///
/// Returns NULL when the pattern is refused. Then *error has the reason and *fragment the part of the
/// pattern at fault; free both with opus_re2_free_text. Safe to match from many threads at once.
opus_re2 *opus_re2_compile(const char *pattern, size_t length, int64_t max_memory, char **error,
                           char **fragment);

void opus_re2_free(opus_re2 *re);
void opus_re2_free_text(char *text);

/// How many capturing groups there are, without the whole match.
int opus_re2_group_count(const opus_re2 *re);

/// The name of a group (from 1), or NULL when it has none. Lives as long as the pattern.
const char *opus_re2_group_name(const opus_re2 *re, int group);

/// Searches the text. Returns 1 for a match, 0 for none.
///
/// ranges, when not NULL, gets `count` pairs (begin, end) in bytes, the whole match first; -1, -1 for a
/// group that took no part.
int opus_re2_match(const opus_re2 *re, const char *text, size_t length, int64_t *ranges, int count);

/// Many patterns that are looked for in one pass.
typedef struct opus_re2_set opus_re2_set;

/// An empty set, using at most max_memory bytes; NULL without memory.
opus_re2_set *opus_re2_set_new(int64_t max_memory);
void opus_re2_set_free(opus_re2_set *set);

/// Adds a UTF-8 pattern, or, where is_literal is not 0, a text as it stands. Returns its number (0, 1, ...), or -1 when it
/// is refused.
int opus_re2_set_add(opus_re2_set *set, const char *pattern, size_t length, int is_literal);

/// After the last pattern. Returns 0 when the set is too large; then it must not be asked.
int opus_re2_set_compile(opus_re2_set *set);

/// Which patterns occur in the text: their numbers, in any order, in found, which has room for all of them. Returns how
/// many; -1 when there was not enough memory to tell. Safe from many threads at once.
int opus_re2_set_match(const opus_re2_set *set, const char *text, size_t length, int *found);

/// How large the program of a pattern is: what a step through a text costs at most.
int opus_re2_program_size(const opus_re2 *re);

/// The first place of needle in a text, in bytes, or -1: memmem(3), whose time is linear too.
int64_t opus_find_bytes(const void *text, size_t length, const void *needle, size_t needle_length);

#ifdef __cplusplus
}
#endif

#endif
