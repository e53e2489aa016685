/* GMime over a mailbox: decodes every header value and every text part, and prints a hash.
 *
 *   decode FILE           one hash
 *   decode --texts FILE   each text part: the number of its message, a tab, the text, NUL
 *
 * The few functions of GMime are declared here, so only its library is needed and not its headers. Build:
 *   cc -O2 -o decode decode.c -l:libgmime-3.0.so.0 -l:libgobject-2.0.so.0 -l:libglib-2.0.so.0
 *
 * Limits: the declarations are those of GMime 3. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct _GMimeObject GMimeObject;
enum { FORMAT_MBOX = 1 };

void g_free(void *memory);
void g_object_unref(void *object);
int g_type_check_instance_is_a(void *instance, size_t type);

void g_mime_init(void);
void *g_mime_stream_fs_open(const char *path, int flags, int mode, void **error);
void *g_mime_parser_new_with_stream(void *stream);
void g_mime_parser_set_format(void *parser, int format);
int g_mime_parser_eos(void *parser);
void *g_mime_parser_construct_message(void *parser, void *options);
void g_mime_message_foreach(void *message, void (*visit)(GMimeObject *, GMimeObject *, void *), void *data);
void *g_mime_object_get_header_list(void *object);
int g_mime_header_list_get_count(void *list);
void *g_mime_header_list_get_header_at(void *list, int index);
const char *g_mime_header_get_value(void *header);
size_t g_mime_text_part_get_type(void);
char *g_mime_text_part_get_text(void *part);

struct reading {
    uint64_t hash;
    unsigned long message;
    int texts;
};

static void mix(struct reading *reading, const char *text) {
    size_t length = strlen(text);
    uint64_t hash = reading->hash ^ length, word;
    for (; length >= 8; length -= 8, text += 8) {
        memcpy(&word, text, 8);
        hash = ((hash << 23 | hash >> 41) ^ word) * 0x9E3779B97F4A7C15u;
    }
    for (; length > 0; length--, text++) hash = ((hash << 23 | hash >> 41) ^ (uint8_t)*text) * 0x9E3779B97F4A7C15u;
    reading->hash = hash;
}

static void headers(struct reading *reading, void *object) {
    void *list = g_mime_object_get_header_list(object);
    int count = g_mime_header_list_get_count(list);
    for (int index = 0; index < count; index++) {
        const char *value = g_mime_header_get_value(g_mime_header_list_get_header_at(list, index));
        if (value) mix(reading, value);
    }
}

static void part(GMimeObject *parent, GMimeObject *object, void *data) {
    struct reading *reading = data;
    (void)parent;
    headers(reading, object);
    if (!g_type_check_instance_is_a(object, g_mime_text_part_get_type())) return;
    char *text = g_mime_text_part_get_text(object);
    if (!text) return;
    mix(reading, text);
    if (reading->texts) {
        printf("%lu\t%s", reading->message, text);
        putchar(0);
    }
    g_free(text);
}

int main(int argc, char **argv) {
    struct reading reading = {0, 0, argc == 3 && strcmp(argv[1], "--texts") == 0};
    if (argc != 2 + reading.texts) {
        fprintf(stderr, "usage: %s [--texts] FILE\n", argv[0]);
        return 2;
    }
    g_mime_init();
    void *stream = g_mime_stream_fs_open(argv[argc - 1], O_RDONLY, 0, NULL);
    if (!stream) {
        perror(argv[argc - 1]);
        return 2;
    }
    void *parser = g_mime_parser_new_with_stream(stream);
    g_mime_parser_set_format(parser, FORMAT_MBOX);
    for (; !g_mime_parser_eos(parser); reading.message++) {
        void *message = g_mime_parser_construct_message(parser, NULL);
        if (!message) break;
        headers(&reading, message);
        g_mime_message_foreach(message, part, &reading);
        g_object_unref(message);
    }
    if (!reading.texts) printf("%lu %llx\n", reading.message, (unsigned long long)reading.hash);
    return 0;
}
