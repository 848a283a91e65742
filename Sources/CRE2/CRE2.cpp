#include "CRE2.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

struct opus_re2 {
    RE2 re;
    std::map<int, std::string> names;

    opus_re2(const re2::StringPiece &pattern, const RE2::Options &options) : re(pattern, options) {}
};

static char *copy(const std::string &text) {
    char *result = static_cast<char *>(std::malloc(text.size() + 1));
    if (result != nullptr) {
        std::memcpy(result, text.data(), text.size());
        result[text.size()] = '\0';
    }
    return result;
}

opus_re2 *opus_re2_compile(const char *pattern, size_t length, int64_t max_memory, char **error,
                           char **fragment) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_memory);
    opus_re2 *result = new (std::nothrow) opus_re2(re2::StringPiece(pattern, length), options);
    if (result == nullptr) return nullptr;
    if (!result->re.ok()) {
        *error = copy(result->re.error());
        *fragment = copy(result->re.error_arg());
        delete result;
        return nullptr;
    }
    result->names = result->re.CapturingGroupNames();
    return result;
}

void opus_re2_free(opus_re2 *re) { delete re; }

void opus_re2_free_text(char *text) { std::free(text); }

int opus_re2_group_count(const opus_re2 *re) { return re->re.NumberOfCapturingGroups(); }

const char *opus_re2_group_name(const opus_re2 *re, int group) {
    auto found = re->names.find(group);
    return found == re->names.end() ? nullptr : found->second.c_str();
}

int opus_re2_match(const opus_re2 *re, const char *text, size_t length, int64_t *ranges, int count) {
    int known = std::min(count, re->re.NumberOfCapturingGroups() + 1);
    if (ranges == nullptr || known < 0) known = 0;
    std::vector<re2::StringPiece> found(static_cast<size_t>(known));
    // An empty text may have no address, and a group without an address means "took no part".
    const char *base = text == nullptr ? "" : text;
    const re2::StringPiece whole(base, length);
    if (!re->re.Match(whole, 0, length, RE2::UNANCHORED, found.data(), known)) return 0;
    for (int i = 0; ranges != nullptr && i < count; i++) {
        bool has = i < known && found[static_cast<size_t>(i)].data() != nullptr;
        ranges[2 * i] = has ? found[static_cast<size_t>(i)].data() - base : -1;
        ranges[2 * i + 1] = has ? ranges[2 * i] + static_cast<int64_t>(found[static_cast<size_t>(i)].size()) : -1;
    }
    return 1;
}

struct opus_re2_set {
    RE2::Set set;

    explicit opus_re2_set(const RE2::Options &options) : set(options, RE2::UNANCHORED) {}
};

opus_re2_set *opus_re2_set_new(int64_t max_memory) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_memory);
    return new (std::nothrow) opus_re2_set(options);
}

void opus_re2_set_free(opus_re2_set *set) { delete set; }

int opus_re2_set_add(opus_re2_set *set, const char *pattern, size_t length, int is_literal) {
    const re2::StringPiece text(pattern == nullptr ? "" : pattern, length);
    return is_literal != 0 ? set->set.Add(RE2::QuoteMeta(text), nullptr) : set->set.Add(text, nullptr);
}

int opus_re2_set_compile(opus_re2_set *set) { return set->set.Compile() ? 1 : 0; }

int opus_re2_set_match(const opus_re2_set *set, const char *text, size_t length, int *found) {
    thread_local std::vector<int> numbers;
    RE2::Set::ErrorInfo error{RE2::Set::kNoError};
    numbers.clear();
    if (!set->set.Match(re2::StringPiece(text == nullptr ? "" : text, length), &numbers, &error))
        return error.kind == RE2::Set::kNoError ? 0 : -1;
    std::copy(numbers.begin(), numbers.end(), found);
    return static_cast<int>(numbers.size());
}

int opus_re2_program_size(const opus_re2 *re) { return re->re.ProgramSize(); }

int64_t opus_find_bytes(const void *text, size_t length, const void *needle, size_t needle_length) {
    if (needle_length == 0) return 0;
    if (length < needle_length) return -1;
    const void *found = memmem(text, length, needle, needle_length);
    return found == nullptr ? -1 : static_cast<const char *>(found) - static_cast<const char *>(text);
}
