"""Reads the segments of a ledger folder as docs/ledger-format.md has them, and nothing else.

Prints a JSON object for each whole record: what `mailglot ledger find --json` prints, `note`, `original` in hexadecimal, and whether the index of the
segment has it. Needs Python's own modules and libzstd.so.1, which dpkg needs too.
"""
import ctypes
import datetime
import json
import pathlib
import struct
import sys

zstd = ctypes.CDLL('libzstd.so.1')
zstd.ZSTD_decompress.restype = ctypes.c_size_t

# BLAKE3, from its specification.
IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
MASK = 0xFFFFFFFF


def compress(chaining, block, counter, length, flags):
    v = chaining + IV[:4] + [counter & MASK, counter >> 32, length, flags]
    m = block

    def mix(a, b, c, d, x, y):
        va, vb, vc, vd = v[a], v[b], v[c], v[d]
        va = (va + vb + x) & MASK
        vd ^= va
        vd = (vd >> 16 | vd << 16) & MASK
        vc = (vc + vd) & MASK
        vb ^= vc
        vb = (vb >> 12 | vb << 20) & MASK
        va = (va + vb + y) & MASK
        vd ^= va
        vd = (vd >> 8 | vd << 24) & MASK
        vc = (vc + vd) & MASK
        vb ^= vc
        v[a], v[b], v[c], v[d] = va, (vb >> 7 | vb << 25) & MASK, vc, vd

    for turn in range(7):
        for at in range(4):
            mix(at, at + 4, at + 8, at + 12, m[2 * at], m[2 * at + 1])
        for at in range(4):
            mix(at, (at + 1) % 4 + 4, (at + 2) % 4 + 8, (at + 3) % 4 + 12, m[2 * at + 8], m[2 * at + 9])
        m = [m[at] for at in ORDER]
    return [v[at] ^ v[at + 8] for at in range(8)]


def words(block):
    return list(struct.unpack('<16I', block.ljust(64, b'\0')))


def subtree(data, counter, root):
    if len(data) <= 1024:
        chaining = IV
        blocks = [data[at:at + 64] for at in range(0, len(data), 64)] or [b'']
        for number, block in enumerate(blocks):
            last = number == len(blocks) - 1
            flags = (CHUNK_START if number == 0 else 0) | (CHUNK_END | root if last else 0)
            chaining = compress(chaining, words(block), counter, len(block), flags)
        return chaining
    left = 1024
    while left * 2 < len(data):
        left *= 2
    both = subtree(data[:left], counter, 0) + subtree(data[left:], counter + left // 1024, 0)
    return compress(IV, both, 0, 64, PARENT | root)


def blake3(data):
    return struct.pack('<8I', *subtree(data, 0, ROOT))


assert blake3(b'').hex().startswith('af1349b9f5f9a1a6a0404dea36dcc949')


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length):
        self.at += length
        assert self.at <= len(self.data), 'cut'
        return self.data[self.at - length:self.at]

    def byte(self):
        return self.take(1)[0]

    def u32(self):
        return struct.unpack('<I', self.take(4))[0]

    def u64(self):
        return struct.unpack('<Q', self.take(8))[0]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def counted(self):
        return self.take(self.varint())

    def more(self):
        return self.at < len(self.data)


def message(ledger):
    """The only message of a ledger, its digest and its note."""
    assert ledger[:8] == b'\x89MGL\r\n\x1a\n' and ledger[8:12] == b'\1\0\0\0'
    assert ledger[-8:] == b'MGLEND\r\n' and ledger[-40:-8] == blake3(ledger[:-40])
    assert struct.unpack('<Q', ledger[-48:-40])[0] == len(ledger)
    reader, original, note = Reader(ledger[12:-48]), b'', b''
    while (tag := reader.byte()) == ord('B'):
        stored, raw = reader.u32(), reader.u32()
        check, frame = reader.take(8), reader.take(stored)
        assert check == blake3(frame)[:8]
        room = ctypes.create_string_buffer(raw)
        assert zstd.ZSTD_decompress(room, ctypes.c_size_t(raw), frame, ctypes.c_size_t(stored)) == raw
        block = Reader(room.raw)
        records = Reader(block.counted())
        while records.more():
            kind = records.byte()
            if kind == 1:
                assert records.varint() == 0
            elif kind == 9:
                note = records.counted()
            else:
                # A message that is Whole, or a further piece of it; it takes nothing of the output.
                assert kind & 0x40 and kind & 8 and not kind & 7, kind
                assert [records.varint() for _ in range(3)] == [0, 0, 0]
                original += block.take(records.varint())
    assert tag == ord('F')
    footer = Reader(reader.take(reader.u32()))
    footer.counted()
    assert footer.varint() > 0 and footer.varint() == 0 and footer.byte() == 1 and footer.varint() == 1
    assert footer.counted() == b'' and footer.take(2) == b'\3\0' and footer.varint() == 1
    digest = blake3(original)
    assert footer.varint() == len(original) and footer.take(32) == digest
    return original, digest, note


def fields(entry):
    reader, found = Reader(entry), {'sender': None, 'recipients': []}
    text = {5: 'queue_id', 6: 'message_id', 7: 'sender'}
    while reader.more():
        tag, value = reader.byte(), reader.counted()
        if tag == 1:
            seconds = struct.unpack('<Q', value)[0] // 10**9
            found['time'] = datetime.datetime.utcfromtimestamp(seconds).isoformat() + 'Z'
        elif tag in (2, 4):
            found['size' if tag == 2 else 'recipient_count'] = struct.unpack('<Q', value)[0]
        elif tag == 3:
            found['blake3'] = value.hex()
        elif tag in text:
            found[text[tag]] = value.decode('utf-8')
        elif tag == 8:
            found['recipients'].append(value.decode('utf-8'))
    return found


def index(data):
    """Offset and index entry of each record that an index has."""
    if not data:
        return None
    reader = Reader(data)
    assert reader.take(4) == b'\x89MGX'
    length, check = reader.u64(), reader.take(8)
    items = reader.take(length)
    assert not reader.more() and check == blake3(items)[:8]
    reader, offset, found = Reader(items), 0, {}
    while reader.more():
        offset += reader.varint()
        found[offset] = reader.counted()
    return found


def segment(data):
    """Offset, index entry, message, digest and note of each whole record; whether an index has them."""
    head = Reader(data)
    assert head.take(8) == b'\x89MGS\r\n\x1a\n' and head.u32() == 1
    head.counted()
    start = head.at
    assert head.take(8) == blake3(data[:start])[:8]
    end, known = len(data), None
    tail = Reader(data[-32:])
    if tail.u64() == len(data) and data[-8:] == b'MGSEND\r\n':
        end = tail.u64()
        assert tail.take(8) == blake3(data[-32:-16] + data[-8:])[:8]
        known = index(data[end:-32])
    at = head.at
    while (at := data.find(b'\x89MGR', at, end)) >= 0:
        try:
            reader = Reader(data[at:end])
            reader.take(4)
            entry_length, ledger_length = reader.u32(), reader.u64()
            digest, entry = reader.take(16), reader.take(entry_length)
            covered = reader.at
            assert reader.take(8) == blake3(data[at:at + covered])[:8]
            if covered + 8 + ledger_length > end - at:
                # Cut off: its sender chose what stands in it.
                break
            ledger = reader.take(ledger_length)
        except AssertionError:
            at += 1
            continue
        if blake3(ledger)[:16] == digest:
            if known is not None:
                assert known.pop(at) == entry
            yield at, entry, *message(ledger), known is not None
        at += reader.at
    assert not known, 'the index has more'


folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.glob('*/*.segment')):
    for offset, entry, original, digest, note, known in segment(path.read_bytes()):
        found = fields(entry)
        assert found['size'] == len(original) and found['blake3'] == digest.hex()
        name = f'{path.relative_to(folder)}:{offset}'
        found |= {'name': name, 'note': json.loads(note), 'original': original.hex(), 'in_index': known}
        print(json.dumps(found))
