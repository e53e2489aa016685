/* glibc's iconv and ICU behind one function each, and the clock of this thread.
 *
 * Both return the length of the UTF-8 text, or -1 where the converter does not exist or stops. */
#include <errno.h>
#include <iconv.h>
#include <malloc.h>
#include <stdint.h>
#include <time.h>

#ifdef WITH_ICU
#include <unicode/ucnv.h>
#endif

void *rival_iconv_open(const char *charset) {
    iconv_t converter = iconv_open("UTF-8", charset);
    return converter == (iconv_t)-1 ? 0 : (void *)converter;
}

ptrdiff_t rival_iconv(void *converter, const char *in, size_t len, char *out, size_t room) {
    char *from = (char *)in, *to = out;
    size_t left = len, free_bytes = room;
    iconv(converter, 0, 0, 0, 0);
    if (iconv(converter, &from, &left, &to, &free_bytes) == (size_t)-1) return -1;
    if (iconv(converter, 0, 0, &to, &free_bytes) == (size_t)-1) return -1;
    return to - out;
}

#ifdef WITH_ICU
void *rival_icu_open(const char *charset) {
    UErrorCode status = U_ZERO_ERROR;
    UConverter *converter = ucnv_open(charset, &status);
    return U_FAILURE(status) ? 0 : converter;
}

ptrdiff_t rival_icu(void *converter, void *utf8, const char *in, size_t len, char *out, size_t room) {
    static UChar pivot[4096];
    UErrorCode status = U_ZERO_ERROR;
    UChar *source = pivot, *target = pivot;
    const char *from = in;
    char *to = out;
    ucnv_convertEx(utf8, converter, &to, out + room, &from, in + len, pivot, &source, &target,
                   pivot + 4096, 1, 1, &status);
    return U_FAILURE(status) ? -1 : to - out;
}
#endif

/* Processor time of the calling thread in nanoseconds. */
uint64_t rival_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Lets the allocator keep what is freed, so that nobody pays for fresh pages from the system. */
void rival_keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}
