/* The rival of the gateway's benchmark: a filter on libmilter, in C.
 *
 *     cc -O2 -o peer peer.c -lmilter -lpthread
 *     peer unix:PATH | inet:PORT@127.0.0.1 [each]
 *
 * It keeps the body, makes UTF-8 of it as of ISO-8859-1, names the new charset and a field of its own, and gives the
 * whole body back: the least that a filter can do that normalizes. It reads no MIME and decodes no words of headers.
 * Every answer that the server lets it leave out is left out; with "each" every step is answered, as libmilter has it
 * for whoever does not negotiate: most filters that are in use.
 */
#include <libmilter/mfapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    unsigned char *bytes;
    size_t length;
    size_t room;
};

/* What a step is answered with. */
static sfsistat go_on = SMFIS_NOREPLY;

static struct message *of(SMFICTX *context)
{
    struct message *message = smfi_getpriv(context);

    if (message == NULL) {
        message = calloc(1, sizeof *message);
        smfi_setpriv(context, message);
    }
    return message;
}

static sfsistat told_header(SMFICTX *context, char *name, char *value)
{
    (void)context;
    (void)name;
    (void)value;
    return go_on;
}

static sfsistat told_body(SMFICTX *context, unsigned char *piece, size_t length)
{
    struct message *message = of(context);
    size_t at;

    if (message == NULL)
        return SMFIS_TEMPFAIL;
    if (message->length + 2 * length > message->room) {
        size_t room = 2 * (message->length + 2 * length);
        unsigned char *bytes = realloc(message->bytes, room);

        if (bytes == NULL)
            return SMFIS_TEMPFAIL;
        message->bytes = bytes;
        message->room = room;
    }
    for (at = 0; at < length; at++) {
        if (piece[at] < 0x80) {
            message->bytes[message->length++] = piece[at];
        } else {
            message->bytes[message->length++] = (unsigned char)(0xc0 | piece[at] >> 6);
            message->bytes[message->length++] = (unsigned char)(0x80 | (piece[at] & 0x3f));
        }
    }
    return go_on;
}

static sfsistat told_end(SMFICTX *context)
{
    struct message *message = of(context);

    if (message == NULL)
        return SMFIS_TEMPFAIL;
    smfi_chgheader(context, "Content-Type", 1, "text/plain; charset=utf-8");
    smfi_addheader(context, "X-Peer", "changed");
    if (message->length > 0)
        smfi_replacebody(context, message->bytes, (int)message->length);
    message->length = 0;
    return SMFIS_CONTINUE;
}

static sfsistat told_abort(SMFICTX *context)
{
    of(context)->length = 0;
    return SMFIS_CONTINUE;
}

static sfsistat told_close(SMFICTX *context)
{
    struct message *message = smfi_getpriv(context);

    if (message != NULL) {
        free(message->bytes);
        free(message);
        smfi_setpriv(context, NULL);
    }
    return SMFIS_CONTINUE;
}

static sfsistat agree(SMFICTX *context, unsigned long actions, unsigned long steps, unsigned long more,
                      unsigned long still, unsigned long *asked, unsigned long *left, unsigned long *no1,
                      unsigned long *no2)
{
    (void)context;
    (void)more;
    (void)still;
    *asked = actions & (SMFIF_ADDHDRS | SMFIF_CHGHDRS | SMFIF_CHGBODY);
    *left = steps & (SMFIP_NOCONNECT | SMFIP_NOHELO | SMFIP_NOMAIL | SMFIP_NORCPT | SMFIP_NODATA | SMFIP_NOUNKNOWN |
                     SMFIP_NOEOH | SMFIP_NR_HDR | SMFIP_NR_BODY);
    *no1 = *no2 = 0;
    return SMFIS_CONTINUE;
}

int main(int count, char **words)
{
    struct smfiDesc filter;

    if (count != 2 && !(count == 3 && strcmp(words[2], "each") == 0)) {
        fprintf(stderr, "usage: peer unix:PATH | inet:PORT@HOST [each]\n");
        return 64;
    }
    memset(&filter, 0, sizeof filter);
    filter.xxfi_name = "peer";
    filter.xxfi_version = SMFI_VERSION;
    filter.xxfi_flags = SMFIF_ADDHDRS | SMFIF_CHGHDRS | SMFIF_CHGBODY;
    filter.xxfi_header = told_header;
    filter.xxfi_body = told_body;
    filter.xxfi_eom = told_end;
    filter.xxfi_abort = told_abort;
    filter.xxfi_close = told_close;
    if (count == 2)
        filter.xxfi_negotiate = agree;
    else
        go_on = SMFIS_CONTINUE;
    if (smfi_setconn(words[1]) != MI_SUCCESS || smfi_register(filter) != MI_SUCCESS)
        return 1;
    return smfi_main();
}
