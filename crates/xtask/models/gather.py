#!/usr/bin/env python3
"""Gathers translated text from Debian packages, one file a language: the material of `cargo xtask models`.

    gather.py DEBS OUT      reads every DEBS/*.deb, writes OUT/LANG.txt and OUT/packages.tsv
    gather.py --fetch DEBS  downloads the packages to learn from with `apt-get download`
    gather.py --fetch-held-out DEBS
                            downloads those that are never learned from: what `detect_score --text OUT` measures on

Text comes from message catalogues (.mo), help pages (Mallard), man pages, fortunes, extension files (.ftl, .dtd,
.properties) and the HTML of the installation guide. Markup, format directives (`%s`) and accelerator marks are removed; whatever equals
its English original is left out.

Limits: what a package calls a language is believed. Never to be listed: debian-handbook, evolution, claws-mail,
gtk+3.0 and gnupg2, since the samples that detection is scored on come from them. A phrase that stands in packages of both
kinds ("Open file") is in both.
"""
import gzip
import html
import io
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
import zipfile
from collections import defaultdict

BANNED = re.compile(r'debian-handbook|evolution|claws-mail|gtk\+?3|libgtk-3|gnupg|gpg|dirmngr')

LANGUAGES = set('''en de fr es it pt nl da sv nb nn fi is ca gl eu ga cy af pl cs hu sk hr sl ro bs sq eo ru uk be bg
sr mk kk el tr he ar fa lt lv et th vi ja ko zh_CN zh_TW id'''.split())
ALIASES = {'no': 'nb', 'pt_BR': 'pt', 'pt_PT': 'pt', 'zh_HK': None, 'zh-CN': 'zh_CN', 'zh-TW': 'zh_TW', 'iw': 'he',
           'zh_Hans': 'zh_CN', 'zh_Hant': 'zh_TW', 'zh': 'zh_CN', 'nb_NO': 'nb', 'nn_NO': 'nn', 'br': None}

LIBREOFFICE = '''af ar be bg bs ca cs cy da de el eo es et eu fa fi fr ga gl he hr hu id is it ja kk ko lt lv mk nb nl nn
pl pt pt-br ro ru sk sl sr sv th tr uk vi zh-cn zh-tw'''.split()
THUNDERBIRD = '''af ar be bg ca cs cy da de el en-gb es-es et eu fi fr ga-ie gl he hr hu id is it ja kk ko lt lv nb-no nl
nn-no pl pt-br pt-pt ro ru sk sl sq sr sv-se th tr uk vi zh-cn zh-tw'''.split()
MANPAGES = 'cs da de el es fi fr hu it ja mk nl pl pt-br ro ru sr sv uk vi tr zh'.split()
FORTUNES = 'bg cs de es it pl ru zh ga'.split()
OTHERS = '''gimp-data inkscape vlc-l10n pidgin-data gnucash-common wordpress-l10n dpkg apt synaptic aptitude-common
iso-codes gnome-user-docs bleachbit deja-dup git coreutils bash bison gettext gajim zim sympa gnome-chess
gnome-calendar geary tellico-data gramps freeciv-data wesnoth-1.16-data blender-data
debconf-i18n tasksel-data'''.split()
PACKAGES = ([f'libreoffice-l10n-{x}' for x in LIBREOFFICE] + [f'thunderbird-l10n-{x}' for x in THUNDERBIRD]
            + [f'manpages-{x}' for x in MANPAGES] + [f'fortunes-{x}' for x in FORTUNES] + OTHERS)

# Prose, mail and desktop programs of other projects.
HELD_OUT = '''installation-guide-amd64 fortunes-br fortunes-eo fortunes-es fortunes-it-off balsa mutt kmail akregator kleopatra
korganizer konqueror dolphin okular hexchat-common liferea-data deluge-common epiphany-browser-data evince-common nautilus-data
rhythmbox-data gnome-software-common gnome-control-center-data caja-common pluma-common thunar-data xfce4-settings homebank-data
gnumeric-common mc-data wget'''.split()

# Taken first: more like what people write than the names of menu items.
PROSE = ('fortunes-', 'thunderbird-', 'wesnoth-')

# Bytes of text taken from one package for one language, and for one language in all.
PACKAGE_CAP = 1_500_000
TOTAL_CAP = 6_000_000

MARKUP = re.compile(r'<[^<>]{0,200}>|&(?:[a-z]+|#[0-9]+);|%[-0-9.$*]*(?:l|h)*[a-zA-Z]|\{[^{}]*\}|\$\{?\w+\}?|%\([^)]*\)s?|https?://\S+')
ROFF = re.compile(r'\\f(?:\[[^]]*\]|\(..|.)|\\[&|^/,%]|\\m?\[[^]]*\]|\\s[-+]?\d|\\\*\[[^]]*\]|\\\(..')


def language(name):
    """The language of a locale's name (`pt_BR.UTF-8`, `sr@latin`), or None."""
    name = name.split('.')[0]
    if '@' in name and not name.endswith(('@euro', '@cyrillic')):
        return None
    name = name.split('@')[0]
    if name in ALIASES:
        return ALIASES[name]
    for known in (name.replace('-', '_'), re.split('[-_]', name)[0]):
        if known in LANGUAGES:
            return known
    return None


def catalogue(data):
    """Translations of a .mo file that differ from their originals."""
    if len(data) < 28:
        return
    order = {0x950412de: '<', 0xde120495: '>'}.get(struct.unpack('<I', data[:4])[0])
    if order is None:
        return
    _, _, count, originals, translations = struct.unpack(order + '5I', data[:20])
    for i in range(count):
        def text(table):
            length, at = struct.unpack_from(order + '2I', data, table + 8 * i)
            return data[at:at + length]
        original = text(originals).split(b'\x04')[-1].split(b'\0')
        if original == [b'']:
            continue
        for translation in text(translations).split(b'\0'):
            if translation and translation not in original:
                yield translation.decode('utf-8')


def extension(data):
    """Texts of a .xpi (a zip of .ftl, .dtd and .properties files)."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not name.endswith(('.ftl', '.dtd', '.properties')):
                continue
            text = archive.read(name).decode('utf-8', 'replace')
            if name.endswith('.dtd'):
                yield from re.findall(r'<!ENTITY\s+\S+\s+"([^"]*)"', text)
            else:
                for line in text.splitlines():
                    if not line.startswith('#'):
                        value = line.split('=', 1)[-1] if '=' in line else line
                        yield re.sub(r'\\u([0-9A-Fa-f]{4})', lambda m: chr(int(m[1], 16)), value)


def manual(data):
    """Paragraphs of a man page without its requests."""
    for line in data.decode('utf-8').splitlines():
        if line.startswith(('.', "'")):
            line = line.split(' ', 1)[1] if re.match(r'\.(B|I|BR|IR|SH|SS|BI|IB)\s', line) else ''
        yield ROFF.sub('', line)


def paragraphs(data):
    """Paragraphs of a page in HTML."""
    for paragraph in re.findall(r'<p>(.*?)</p>', data.decode('utf-8'), re.DOTALL):
        yield html.unescape(re.sub(r'<[^>]*>', ' ', paragraph))


def texts(path, data):
    """(language, texts) of a file of a package."""
    match = re.search(r'/(?:locale|resource|translations)/([^/]+)/(?:LC_MESSAGES/)?[^/]+\.mo$', path) \
        or re.search(r'/languages/(?:[^/]*/)*?(?:[a-z-]+-)?([a-z]{2,3}(?:_[A-Z]{2})?)\.mo$', path)
    if match and not re.search(r'iso_639|iso_15924', path):
        return language(match[1]), catalogue(data)
    match = re.search(r'langpack-([A-Za-z-]+)@[^/]*\.xpi$', path)
    if match:
        return language(match[1]), extension(data)
    match = re.search(r'/share/help/([^/]+)/.*\.page$', path)
    if match:
        return language(match[1]), [data.decode('utf-8')]
    match = re.search(r'/installation-guide-[^/]+/([^/]+)/[^/]+\.html$', path)
    if match:
        return language(match[1].replace('.', '_')), paragraphs(data)
    match = re.search(r'/share/man/([^/]+)/man\d/[^/]+\.gz$', path)
    if match:
        return language(match[1]), manual(gzip.decompress(data))
    match = re.search(r'/games/fortunes/(?:off/)?(?:([a-z]{2})/)?[^/.]+$', path)
    if match:
        return match[1], data.decode('utf-8').splitlines()
    return None, []


# What legacy charsets have instead: letters with a cedilla, Arabic yeh.
LEGACY = str.maketrans('șțȘȚیې', 'şţŞŢيي')
TONES = '\u0300\u0301\u0303\u0309\u0323'


def spell(text, lang):
    """A text as legacy charsets spell it: Vietnamese tones as marks after their vowels, as windows-1258 has them but
    for eight letters; in every second text only those that no other language has, as they are read from VISCII."""
    text = unicodedata.normalize('NFC', text).translate(LEGACY)
    if lang != 'vi':
        return text
    out = []
    whole = 'àáèéíóùúÀÁÈÉÍÓÙÚ' + ('ìòõãýĩũÌÒÕÃÝĨŨ' if len(text) % 2 else '')
    for c in text:
        if c in whole:
            out.append(c)
            continue
        parts = unicodedata.normalize('NFD', c)
        tone = ''.join(p for p in parts if p in TONES)
        rest = ''.join(p for p in parts if p not in TONES)
        out.append(unicodedata.normalize('NFC', rest) + tone)
    return ''.join(out)


def clean(text, lang):
    """A text without markup, format directives and accelerators, one line."""
    text = MARKUP.sub(' ', text)
    text = re.sub(r'\\[nrt]', ' ', text)
    text = re.sub(r'\((?:[_~&])[A-Za-z]\)', '', text)
    text = re.sub(r'[_~&](?=\w)', '', text)
    return spell(' '.join(text.split()), lang)


def members(deb):
    """The files of a package: path, content."""
    with tempfile.TemporaryFile() as out:
        subprocess.run(['dpkg-deb', '--fsys-tarfile', deb], stdout=out, check=True)
        out.seek(0)
        with tarfile.open(fileobj=out) as archive:
            for member in archive:
                if member.isfile() and re.search(r'\.(mo|xpi|page|gz|html)$|/fortunes/', member.name):
                    yield member.name, archive.extractfile(member).read()


def gather(debs, out):
    os.makedirs(out, exist_ok=True)
    material, seen, used = defaultdict(list), defaultdict(set), []
    sizes = defaultdict(int)
    packages = {name.split('_')[0] for name in os.listdir(debs) if name.endswith('.deb')}
    if packages & set(HELD_OUT) and packages - set(HELD_OUT):
        sys.exit(f'{debs} has packages to learn from and packages to measure on')
    for name in sorted(os.listdir(debs), key=lambda name: (not name.startswith(PROSE), name)):
        if not name.endswith('.deb') or BANNED.search(name):
            continue
        package, version, _ = name[:-4].split('_')
        taken = defaultdict(int)
        for path, data in members(os.path.join(debs, name)):
            try:
                lang, found = texts(path, data)
                if lang is None and '/fortunes/' in path and package.startswith('fortunes-'):
                    lang = language(package.split('-')[1])
                if lang not in LANGUAGES:
                    continue
                for text in found:
                    text = clean(text, lang)
                    if len(text) < 3 or text in seen[lang]:
                        continue
                    size = len(text.encode())
                    if taken[lang] + size > PACKAGE_CAP or sizes[lang] + size > TOTAL_CAP:
                        break
                    seen[lang].add(text)
                    material[lang].append(text)
                    taken[lang] += size
                    sizes[lang] += size
            except (UnicodeDecodeError, struct.error, OSError, zipfile.BadZipFile):
                continue
        if taken:
            used.append((package, version.replace('%3a', ':'), sum(taken.values())))
    for lang, lines in material.items():
        with open(os.path.join(out, lang + '.txt'), 'w', encoding='utf-8') as file:
            file.writelines(line + '\n' for line in lines)
    with open(os.path.join(out, 'packages.tsv'), 'w', encoding='utf-8') as file:
        file.write('# The Debian packages whose translations were counted: package, version, bytes of text.\n')
        file.writelines('\t'.join(map(str, row)) + '\n' for row in used)


def fetch(packages, debs):
    os.makedirs(debs, exist_ok=True)
    known = subprocess.run(['apt-cache', 'pkgnames'], capture_output=True, text=True, check=True).stdout.split()
    wanted = sorted(set(packages) & set(known))
    subprocess.run(['apt-get', '-q', 'download', *wanted], cwd=debs, check=True)


if __name__ == '__main__':
    if sys.argv[1] == '--fetch':
        fetch(PACKAGES, sys.argv[2])
    elif sys.argv[1] == '--fetch-held-out':
        fetch(HELD_OUT, sys.argv[2])
    else:
        gather(sys.argv[1], sys.argv[2])
