"""Converters that may be installed here, all asked the same way.

Each adapter has `name`, `version` (strings), `charsets()` (its own name of a charset -> list of aliases),
`find(label)` (its own name for a label, or None) and `decode(charset, bytes)`: the text of one complete sequence from
the initial state, or None where the converter calls it malformed, cut or unassigned. `decode_all` takes many sequences
at once and is much faster where the converter is another process.

    from converters import installed
    for converter in installed():
        if converter.find("koi8-r"):
            print(converter, converter.decode("koi8-r", b"\\xc1"))

Run as a program it lists what is installed; with a charset and hexadecimal bytes it decodes them with everything.

Limits: only what is installed answers; what is not is left out. GNU libiconv is no part of Debian: name a shared
library in the variable LIBICONV, e.g. built from the sources inside npm's package `iconv` with
`cc -shared -fPIC -DICONV_CONST=const -DENABLE_EXTRA=1 -Isupport -Ideps/libiconv/lib deps/libiconv/lib/iconv.c support/localcharset.c`.
iconv-lite is asked if `node` can load it (NODE_PATH).
"""

import codecs
import ctypes
import ctypes.util
import encodings
import encodings.aliases
import glob
import gzip
import os
import pkgutil
import platform
import re
import shutil
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


def installed():
    """Every converter that can be asked here."""
    found = []
    for kind in (Glibc, Libiconv, Icu, PythonCodecs, PerlEncode, Java, IconvLite, Charmaps, Recode):
        try:
            found.append(kind())
        except Missing:
            pass
    return found


class Missing(Exception):
    """The converter is not installed."""


class Converter:
    name = version = ""

    def __str__(self):
        return f"{self.name} {self.version}"

    def charsets(self):
        raise NotImplementedError

    def find(self, label):
        """The converter's own name of the charset that `label` names exactly (in any case)."""
        if not hasattr(self, "_names"):
            self._names = {}
            for own, aliases in self.charsets().items():
                for name in aliases:
                    self._names.setdefault(name.lower(), own)
            for own in self.charsets():
                self._names[own.lower()] = own
        return self._names.get(label.lower())

    def decode(self, charset, data):
        raise NotImplementedError

    def decode_all(self, charset, sequences):
        return [self.decode(charset, data) for data in sequences]


class Iconv(Converter):
    """The interface of POSIX, in whatever library. Text comes as UTF-32, as composed characters may wait for a flush."""

    def _bind(self, library, prefix):
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        self._open = getattr(library, prefix + "iconv_open")
        self._open.restype, self._open.argtypes = pointer, [ctypes.c_char_p, ctypes.c_char_p]
        self._convert = getattr(library, prefix + "iconv")
        self._convert.restype = size
        self._convert.argtypes = [pointer] + [ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(size)] * 2
        self._opened = {}

    def _handle(self, charset):
        if charset not in self._opened:
            handle = self._open(b"UTF-32LE", charset.encode())
            self._opened[charset] = None if handle in (None, ctypes.c_size_t(-1).value) else handle
        return self._opened[charset]

    def find(self, label):
        own = super().find(label)
        return own if own and self._handle(own) else None

    def decode(self, charset, data):
        handle = self._handle(charset)
        if handle is None:
            return None
        self._convert(handle, None, None, None, None)
        room = 64 + 32 * len(data)
        buffer = ctypes.create_string_buffer(room)
        source, left = ctypes.c_char_p(data), ctypes.c_size_t(len(data))
        target = ctypes.cast(buffer, ctypes.c_char_p)
        space = ctypes.c_size_t(room)
        error = ctypes.c_size_t(-1).value
        if self._convert(handle, ctypes.byref(source), ctypes.byref(left), ctypes.byref(target), ctypes.byref(space)) == error:
            return None
        if left.value or self._convert(handle, None, None, ctypes.byref(target), ctypes.byref(space)) == error:
            return None
        return buffer.raw[: room - space.value].decode("utf-32-le", "surrogatepass")


class Glibc(Iconv):
    name = "glibc"

    def __init__(self):
        library = ctypes.CDLL(None)
        try:
            version = library.gnu_get_libc_version
        except AttributeError:
            raise Missing
        version.restype = ctypes.c_char_p
        self.version = version().decode()
        self._bind(library, "")

    def charsets(self):
        names = {"ANSI_X3.4-1968": ["US-ASCII", "ASCII"]}
        aliases = {}
        folders = [f"{base}/gconv" for base in glob.glob("/usr/lib/*-linux-gnu") + ["/usr/lib", "/usr/lib64"]]
        files = [f for folder in folders for f in glob.glob(folder + "/gconv-modules") + glob.glob(folder + "/gconv-modules.d/*.conf")]
        for file in files:
            for line in open(file, encoding="latin-1"):
                words = line.split()
                if words[:1] == ["module"] and words[2] == "INTERNAL":
                    names.setdefault(words[1].rstrip("/"), [])
                elif words[:1] == ["alias"]:
                    aliases[words[1].rstrip("/")] = words[2].rstrip("/")
        for alias, name in aliases.items():
            while name in aliases:
                name = aliases[name]
            names.setdefault(name, []).append(alias)
        for builtin in ("UTF-8", "UTF-16", "UTF-32", "UTF-7", "UCS-2", "UCS-4"):
            names.setdefault(builtin, [])
        return names


class Libiconv(Iconv):
    name = "libiconv"

    def __init__(self):
        path = os.environ.get("LIBICONV") or ctypes.util.find_library("iconv")
        if not path:
            raise Missing
        try:
            library = ctypes.CDLL(path)
            self._bind(library, "lib")
        except (OSError, AttributeError):
            raise Missing
        self._list = library.libiconvlist
        try:
            number = ctypes.c_int.in_dll(library, "_libiconv_version").value
            self.version = f"{number >> 8}.{number & 0xFF}"
        except ValueError:
            # The bundled sources do not tell; 1.15 is what npm's package has.
            self.version = "1.15"

    def charsets(self):
        names = {}
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.POINTER(ctypes.c_char_p), ctypes.c_void_p)

        def each(count, group, _):
            own, *aliases = [group[i].decode() for i in range(count)]
            names[own] = aliases
            return 0

        self._list(kind(each), None)
        return names


class Icu(Converter):
    name = "ICU"

    def __init__(self):
        libraries = sorted(glob.glob("/usr/lib/*/libicuuc.so.*") + glob.glob("/usr/lib/libicuuc.so.*"))
        numbers = [m.group(1) for m in (re.search(r"\.so\.(\d+)\.\d", path) for path in libraries) if m]
        path = libraries[-1] if libraries else ctypes.util.find_library("icuuc")
        if not path or not numbers:
            raise Missing
        library = ctypes.CDLL(path)
        call = lambda name: getattr(library, f"{name}_{numbers[-1]}")
        self.version = re.search(r"\.so\.([\d.]+)", path).group(1)
        self._open = call("ucnv_open")
        self._open.restype = ctypes.c_void_p
        self._chars = call("ucnv_toUChars")
        self._chars.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int)]
        self._set = call("ucnv_setToUCallBack")
        self._set.argtypes = [ctypes.c_void_p] + [ctypes.c_void_p] * 4 + [ctypes.POINTER(ctypes.c_int)]
        self._stop = ctypes.cast(call("UCNV_TO_U_CALLBACK_STOP"), ctypes.c_void_p)
        self._count, self._available = call("ucnv_countAvailable"), call("ucnv_getAvailableName")
        self._available.restype = ctypes.c_char_p
        self._aliases, self._alias = call("ucnv_countAliases"), call("ucnv_getAlias")
        self._aliases.restype, self._alias.restype = ctypes.c_uint16, ctypes.c_char_p
        self._alias.argtypes = [ctypes.c_char_p, ctypes.c_uint16, ctypes.POINTER(ctypes.c_int)]
        self._opened = {}

    def charsets(self):
        names = {}
        for i in range(self._count()):
            own, error = self._available(i), ctypes.c_int(0)
            count = self._aliases(own, ctypes.byref(error))
            names[own.decode()] = [self._alias(own, k, ctypes.byref(error)).decode() for k in range(count)]
        return names

    def decode(self, charset, data):
        """`charset` may carry ICU's options, e.g. `ibm-37,swaplfnl`."""
        if charset not in self._opened:
            error = ctypes.c_int(0)
            handle = self._open(charset.encode(), ctypes.byref(error))
            if error.value <= 0:
                self._set(handle, self._stop, None, None, None, ctypes.byref(error))
            self._opened[charset] = handle if error.value <= 0 else None
        handle = self._opened[charset]
        if handle is None:
            return None
        room = 64 + 8 * len(data)
        buffer, error = ctypes.create_string_buffer(2 * room), ctypes.c_int(0)
        count = self._chars(handle, buffer, room, data, len(data), ctypes.byref(error))
        if error.value > 0:
            return None
        return buffer.raw[: 2 * count].decode("utf-16-le", "surrogatepass")


class PythonCodecs(Converter):
    name = "Python"
    version = platform.python_version()

    def charsets(self):
        names = {}
        for module in pkgutil.iter_modules(encodings.__path__):
            try:
                codec = codecs.lookup(module.name)
            except (LookupError, ImportError):
                continue
            if codec._is_text_encoding and module.name not in ("idna", "punycode", "undefined", "oem", "mbcs"):
                names[module.name] = [codec.name, module.name.replace("_", "-")]
        for alias, own in encodings.aliases.aliases.items():
            if own in names:
                names[own].extend({alias, alias.replace("_", "-")})
        return names

    def decode(self, charset, data):
        try:
            return codecs.decode(data, charset, "strict")
        except (UnicodeError, ValueError):
            return None


class Process(Converter):
    """Another program that answers lines `charset TAB hex` with lines of UTF-32BE in hex, `-` for none."""

    def _start(self, command):
        if not shutil.which(command[0]):
            raise Missing
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="latin-1"
        )
        first = self._process.stdout.readline().split("\t")
        if len(first) != 2:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            raise Missing
        self.version = first[0].strip()
        self._listed = {}
        for group in first[1].split(";"):
            own, *aliases = group.split()
            self._listed[own] = aliases

    def charsets(self):
        return self._listed

    def decode(self, charset, data):
        return self.decode_all(charset, [data])[0]

    def decode_all(self, charset, sequences):
        lines = "".join(f"{charset}\t{data.hex()}\n" for data in sequences)

        def write():
            self._process.stdin.write(lines)
            self._process.stdin.flush()

        # A thread writes while this one reads, or full pipes would stop both.
        writer = threading.Thread(target=write)
        writer.start()
        answers = [self._process.stdout.readline().strip() for _ in sequences]
        writer.join()
        return [None if a == "-" else bytes.fromhex(a).decode("utf-32-be", "surrogatepass") for a in answers]


class PerlEncode(Process):
    name = "Perl"

    def __init__(self):
        script = r"""
            use Encode; $| = 1;
            print $Encode::VERSION, "\t", join(";", grep { !/^(MIME|null)/ } Encode->encodings(":all")), "\n";
            my %known;
            while (<STDIN>) {
                chomp; my ($name, $hex) = split /\t/;
                my $encoding = $known{$name} //= find_encoding($name);
                my $bytes = pack("H*", $hex // "");
                my $text = eval { local $SIG{__WARN__} = sub { die };
                    $encoding->decode($bytes, Encode::FB_CROAK | Encode::LEAVE_SRC) };
                print defined $text ? unpack("H*", pack("N*", map { ord } split //, $text)) : "-", "\n";
            }"""
        self._start(["perl", "-e", script])


class Java(Process):
    name = "Java"

    def __init__(self):
        self._start(["java", "-XX:+UseSerialGC", "-Xmx256m", os.path.join(HERE, "Converter.java")])


class IconvLite(Process):
    name = "iconv-lite"

    def find(self, label):
        return super().find(re.sub("[^0-9a-z]", "", label.lower()))

    def __init__(self):
        script = r"""
            const lite = require("iconv-lite");
            lite.encodingExists("utf8");
            const names = Object.keys(lite.encodings).filter(n => !n.startsWith("_") && lite.encodingExists(n));
            const version = require("iconv-lite/package.json").version;
            process.stdout.write(version + "\t" + names.join(";") + "\n");
            const bad = "\uFFFD";
            require("readline").createInterface({ input: process.stdin }).on("line", line => {
                const [name, hex] = line.split("\t");
                let text = bad;
                try { text = lite.decode(Buffer.from(hex, "hex"), name, { stripBOM: false }); } catch (e) {}
                const out = [...text].map(c => c.codePointAt(0).toString(16).padStart(8, "0")).join("");
                process.stdout.write((text.includes(bad) ? "-" : out) + "\n");
            });"""
        self._start(["node", "-e", script])


class Recode(Converter):
    """GNU recode, whose lists of characters are read. One lineage with RFC 1345."""

    name = "recode"
    ROW = re.compile(r"^ *\d+ +\d{3} +([0-9a-f]{2}) +([0-9A-F]{4}) ", re.M)

    def __init__(self):
        if not shutil.which("recode"):
            raise Missing
        self.version = self._run("--version").split("\n")[0].split()[-1]
        self._tables = {}

    @staticmethod
    def _run(*arguments):
        return subprocess.run(["recode", *arguments], capture_output=True, text=True, encoding="latin-1").stdout

    def charsets(self):
        names = {}
        for line in filter(str.strip, self._run("-l").splitlines()):
            own, *aliases = re.sub(r"\b/CR(-LF)?\b", "", line).split()
            names[own] = aliases
        return names

    def decode(self, charset, data):
        if charset not in self._tables:
            rows = self.ROW.findall(self._run("-lf", charset))
            self._tables[charset] = {int(byte, 16): chr(int(code, 16)) for byte, code in rows}
        table = self._tables[charset]
        return "".join(table[byte] for byte in data) if all(byte in table for byte in data) else None


class Charmaps(Converter):
    """The character maps of Debian's package `locales`, read as tables. One lineage with glibc."""

    name = "charmaps"
    FOLDER = "/usr/share/i18n/charmaps"
    # Older maps name the character, and give what they lack the byte 00.
    NAMED = re.compile(r"<\S+>\s+((?:/x[0-9a-fA-F]{2})+)\s+(<U[0-9A-F]+>)")
    ROW = re.compile(r"(?:%IRREVERSIBLE%)?((?:<U[0-9A-F]+>)+)(?:\.\.<U([0-9A-F]+)>)?\s+((?:/x[0-9a-fA-F]{2})+)")

    def __init__(self):
        if not glob.glob(self.FOLDER + "/*.gz"):
            raise Missing
        status = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "locales"], capture_output=True, text=True)
        self.version = status.stdout.strip().split("-")[0] or "?"
        self._tables = {}

    def charsets(self):
        names = {}
        for path in sorted(glob.glob(self.FOLDER + "/*.gz")):
            with gzip.open(path, "rt", encoding="latin-1") as file:
                head = file.read(3000).split("CHARMAP")[0]
            names[os.path.basename(path)[:-3]] = re.findall(r"^% alias (\S+)", head, re.M)
        return names

    def table(self, charset):
        """Bytes -> text for each row of the map (`%IRREVERSIBLE%` rows decode, too)."""
        if charset not in self._tables:
            table = {}
            with gzip.open(f"{self.FOLDER}/{charset}.gz", "rt", encoding="latin-1") as file:
                for line in file:
                    if line.startswith("END CHARMAP"):
                        break
                    row = self.ROW.match(line)
                    if row:
                        self._add(table, *row.groups())
                        continue
                    named = self.NAMED.match(line)
                    if named and (named[1] != "/x00" or named[2] == "<U0000>"):
                        self._add(table, named[2], None, named[1])
            self._tables[charset] = table
        return self._tables[charset]

    @staticmethod
    def _add(table, text, last, data):
        codes = [int(code, 16) for code in re.findall("<U([0-9A-F]+)>", text)]
        data = bytes.fromhex(data.replace("/x", ""))
        for step in range(int(last, 16) - codes[-1] + 1 if last else 1):
            key = data[:-1] + bytes([data[-1] + step])
            table.setdefault(key, "".join(map(chr, codes[:-1])) + chr(codes[-1] + step))

    def decode(self, charset, data):
        table = self.table(charset)
        out = []
        while data:
            size = next((n for n in range(min(8, len(data)), 0, -1) if data[:n] in table), None)
            if size is None:
                return None
            out.append(table[data[:size]])
            data = data[size:]
        return "".join(out)


def main():
    if len(sys.argv) == 1:
        for converter in installed():
            print(f"{converter}: {len(converter.charsets())} charsets")
        return
    data = bytes.fromhex(sys.argv[2])
    for converter in installed():
        own = converter.find(sys.argv[1])
        if own:
            text = converter.decode(own, data)
            print(f"{converter} {own}:", "-" if text is None else " ".join(f"{ord(c):04X}" for c in text))


if __name__ == "__main__":
    main()
