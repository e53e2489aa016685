"""Extracts messages, mailboxes and texts without a label from the archives of packages.

A file is a message if it begins with header fields, three of them at least, two of them with names that mail has. A file is a
mailbox if it begins with a `From ` line and such fields follow. Archives inside archives are opened two levels deep.

A text without a label is a part of a ChangeLog, an AUTHORS file or another such file that is not valid UTF-8: the lines
around its bytes above 7F. It becomes a message whose Content-Type names no charset.
"""
import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib

# Longest file that is read, in bytes.
LONGEST = 4_000_000
NESTING = 2

FIELD = re.compile(rb'[!-9;-~]{1,60}[ \t]*:')
KNOWN = re.compile(
    rb'(?i)(from|to|cc|subject|date|received|message-id|mime-version|content-type|content-transfer-encoding|return-path|delivered-to'
    rb'|reply-to|sender|in-reply-to|references|x-mailer|x-priority|user-agent|x-original-to|x-received|dkim-signature|list-id'
    rb'|authentication-results|arc-seal|envelope-to|x-envelope-from|x-spam-status|status|organization|newsgroups|path)[ \t]*:')
SEPARATOR = re.compile(rb'^From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[!-9;-~]{1,60}:|>?From )', re.MULTILINE)
# Programs, tables and translations that look like header fields.
NOT_MAIL = re.compile(
    r'(?i)(\.(c|cc|cpp|h|hh|py|pl|pm|rb|js|ts|go|rs|java|php|sh|el|t|in|am|ac|m4|po|pot|mo|html?|xml|json|ya?ml|dsc|spec|control|changes|patch|diff|css'
    r'|scm|lisp|tex|md|rst|pod|map|conf|cfg|ini|mk|rules|install|desc|desktop|tmpl|tpl|twig|erb|lsm|info|symbols|lua|sql|csv|ics|vcf|docbook)'
    r'|/debian/[^/]*|PKG-INFO|METADATA|copyright|META.*|control)$')
TEXTS = re.compile(
    r'(?i)/(change(log|s|\.?log)?|authors?|thanks|credits|news|history|maintainers|translators|contributors|contrib|copyright|readme|todo|bugs|people)'
    r'([-._][^/]*)?(\.gz)?$')


def messages(data):
    """The messages in the content of a file: the file itself, or those of a mailbox."""
    if data.startswith(b'From ') and SEPARATOR.match(data):
        starts = [match.start() for match in SEPARATOR.finditer(data)
                  if match.start() == 0 or data[match.start() - 3:match.start()].endswith((b'\n\n', b'\n\r\n'))]
        for start, end in zip(starts, [*starts[1:], len(data)]):
            message = data[data.index(b'\n', start) + 1:end]
            if is_message(message):
                yield message
    elif is_message(data):
        yield data


def is_message(data):
    """True if the content begins with header fields that mail has."""
    fields, known = 0, set()
    for line in data[:20_000].splitlines():
        if line[:1] in (b' ', b'\t') and fields:
            continue
        if not FIELD.match(line):
            if line.strip():
                return False
            break
        fields += 1
        name = KNOWN.match(line)
        if name:
            known.add(name[1].lower())
    return fields >= 3 and len(known) >= 2 and bool(known & {b'from', b'received', b'subject', b'to', b'content-type', b'message-id'})


def is_mailbox(data):
    return data.startswith(b'From ') and sum(1 for _ in messages(data)) > 0


def mails(path):
    """(name, content) of each file of a package's archive that holds mail."""
    for name, data in members(path):
        if not NOT_MAIL.search('/' + name) and next(messages(data), None) is not None:
            yield name, data


def texts(path):
    """(name, lines) of the places of a package's text files that are not valid UTF-8."""
    for name, data in members(path):
        if TEXTS.search('/' + name) and not is_utf8(data) and b'\0' not in data:
            for place in places(data):
                yield name, place


def places(data):
    """The lines around bytes above 7F, at most four places of a file, each with other such words than those before it."""
    lines, seen, found, last = data.splitlines(), set(), 0, -1
    for number, line in enumerate(lines):
        words = set(re.findall(rb'[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*', line)) | set(re.findall(rb'\x1b\$', line))
        if not words - seen or number <= last or found == 4:
            continue
        last = min(number + 12, len(lines) - 1)
        block = lines[max(0, number - 2):last + 1]
        seen |= set(re.findall(rb'[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*', b'\n'.join(block))) | words
        found += 1
        yield b'\n'.join(block) + b'\n'


def wrapped(text):
    """A message whose body is a text without a label."""
    return (b'From: someone@example.org\nTo: somebody@example.org\nSubject: text\nMIME-Version: 1.0\n'
            b'Content-Type: text/plain\nContent-Transfer-Encoding: 8bit\n\n' + text)


def is_utf8(data):
    try:
        data.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return True


def members(path):
    """(name, content) of the files of an archive, sorted by name."""
    with open(path, 'rb') as file:
        yield from opened(path, file.read(), 0)


def opened(name, data, nesting):
    if nesting > NESTING:
        return
    try:
        if name.endswith(('.zip', '.whl')):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for member in sorted(archive.infolist(), key=lambda member: member.filename):
                    if not member.is_dir() and member.file_size <= LONGEST and not member.flag_bits & 1:
                        yield from inner(f'{name}!{member.filename}', archive.read(member), nesting)
        elif re.search(r'\.(tar|tgz|tbz2?|crate)$', name):
            # Members are read in the order of their names: within compressed data each step back would start anew.
            with tarfile.open(fileobj=io.BytesIO(unpacked(data))) as archive:
                for member in sorted(archive.getmembers(), key=lambda member: member.name):
                    if member.isfile() and (member.size <= LONGEST or nesting == 0 and archived(member.name)):
                        yield from inner(f'{name}!{member.name}', archive.extractfile(member).read(), nesting)
        elif match := re.search(r'\.(gz|bz2|xz|lzma)$', name):
            yield from inner(name[:match.start()], unpacked(data), nesting)
    except (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, UnicodeDecodeError):
        # Test suites hold damaged archives.
        return


def unpacked(data):
    for magic, unpack in ((b'\x1f\x8b', gzip.decompress), (b'BZh', bz2.decompress), (b'\xfd7zXZ', lzma.decompress)):
        if data.startswith(magic):
            return unpack(data)
    return data


def inner(name, data, nesting):
    if archived(name):
        yield from opened(name, data, nesting + 1)
    elif len(data) <= LONGEST:
        yield name, data


def archived(name):
    return bool(re.search(r'\.(zip|tar|tgz|tbz2?|gz|bz2|xz|lzma)$', name))
