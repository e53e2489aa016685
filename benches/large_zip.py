"""Writes a zip64 archive with one deflated mailbox: MAILBOX, repeated.

    python3 benches/large_zip.py MAILBOX ARCHIVE.zip TIMES

The mailbox is compressed once, and its blocks are repeated. So an archive of 10 GB is written as fast as the disk allows.
"""

import struct
import sys
import zlib

NAME = b"Takeout/Mail/All mail.mbox"


def main(source, target, times):
    with open(source, "rb") as file:
        mailbox = file.read()
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    blocks = packer.compress(mailbox) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(1, zlib.DEFLATED, -15).flush()
    checksum = 0
    for _ in range(times):
        checksum = zlib.crc32(mailbox, checksum)
    sizes = (len(mailbox) * times, len(blocks) * times + len(end))
    extra = struct.pack("<HHQQ", 1, 16, *sizes)
    common = (45, 0, 8, 0, 0x2A21, checksum, 0xFFFFFFFF, 0xFFFFFFFF, len(NAME), len(extra))
    with open(target, "wb") as file:
        file.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, *common) + NAME + extra)
        for _ in range(times):
            file.write(blocks)
        file.write(end)
        directory = file.tell()
        entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, *common, 0, 0, 0, 0, 0) + NAME + extra
        file.write(entry)
        end_record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1, 1, len(entry), directory)
        locator = struct.pack("<IIQI", 0x07064B50, 0, directory + len(entry), 1)
        last = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), min(directory, 0xFFFFFFFF), 0)
        file.write(end_record + locator + last)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
