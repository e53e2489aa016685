#!/usr/bin/env python3
"""Gathers names of people, places and organizations from dictionaries in Debian packages, one file a language: the material of
`cargo xtask models --names`.

    gather_names.py --fetch DEBS  downloads the packages with `apt-get download`
    gather_names.py DEBS OUT      reads DEBS/*.deb, writes OUT/LANG.txt, a name on each line, and OUT/packages.tsv

Names of places are translations of lists of cities and countries. Japanese and Chinese names of people come from the dictionaries
of input methods. Those of other languages are the words with a capital in the dictionaries of spell checkers.

Limits: Taiwanese names of people are those of the Chinese dictionary, converted by `opencc` (Debian package `opencc`). The German
names are all nouns. Languages without such a dictionary have names of places only.
"""
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import gather  # noqa: E402

# Locales of languages that have another name.
LOCALES = {'en': 'en_GB', 'pt': 'pt_BR'}
# Spell checkers: packages of each language, and the file in each. Croatian and Bosnian names are in the Serbian one, too.
SPELL_CHECKERS = {
    'af': 'hunspell-af/af_ZA', 'be': 'hunspell-be/be_BY', 'bg': 'hunspell-bg/bg_BG',
    'bs': 'hunspell-bs/bs_BA hunspell-sr/sr_Latn_RS',
    'ca': 'hunspell-ca/ca', 'cs': 'hunspell-cs/cs_CZ', 'da': 'hunspell-da/da_DK', 'de': 'hunspell-de-de/de_DE',
    'el': 'hunspell-el/el_GR', 'en': 'hunspell-en-us/en_US', 'es': 'hunspell-es/es_ES', 'eu': 'hunspell-eu/eu',
    'fr': 'hunspell-fr-classical/fr', 'gl': 'hunspell-gl/gl_ES',
    'hr': 'hunspell-hr/hr_HR hunspell-sr/sr_Latn_RS', 'hu': 'hunspell-hu/hu_HU',
    'is': 'hunspell-is/is_IS', 'it': 'hunspell-it/it_IT', 'lt': 'hunspell-lt/lt_LT', 'lv': 'hunspell-lv/lv_LV',
    'nb': 'hunspell-no/nb_NO', 'nl': 'hunspell-nl/nl', 'nn': 'hunspell-no/nn_NO', 'pl': 'hunspell-pl/pl_PL',
    'pt': 'hunspell-pt-br/pt_BR', 'ro': 'hunspell-ro/ro_RO', 'ru': 'hunspell-ru/ru_RU', 'sk': 'hunspell-sk/sk_SK',
    'sl': 'hunspell-sl/sl_SI', 'sq': 'myspell-sq/sq_AL', 'sr': 'hunspell-sr/sr_RS', 'sv': 'hunspell-sv/sv_SE',
    'tr': 'hunspell-tr/tr_TR', 'uk': 'hunspell-uk/uk_UA',
}
DICTIONARIES = ' '.join(SPELL_CHECKERS.values()).split()
PACKAGES = {*'skkdic-extra python3-jieba libgweather-4-common iso-codes'.split(),
            *(dictionary.split('/')[0] for dictionary in DICTIONARIES)}

# Names of each kind, evenly taken from all of them.
PEOPLE, PLACES, ORGANIZATIONS = 30_000, 15_000, 5_000
# Names of a spell checker.
WORDS = 50_000

# Number of Chinese names that a character begins if it is a surname.
SURNAME = 100


def evenly(names, most):
    """At most `most` of the names, each with the same distance from the next."""
    step = max(len(names) / most, 1)
    return [names[int(at * step)] for at in range(min(len(names), most))]


def entries(path, encoding='euc_jis_2004'):
    """The words of an SKK dictionary (`reading /word;note/word/`), without notes and numbers."""
    for line in path.read_text(encoding, 'replace').splitlines():
        if line.startswith(';') or ' /' not in line or '#' in line:
            continue
        for word in line.split(' /', 1)[1].strip('/').split('/'):
            word = word.split(';')[0]
            if word and not word.isascii() and '\ufffd' not in word:
                yield word


def places(root, language):
    """Translations of names of cities, countries and provinces."""
    locale = LOCALES.get(language, language)
    for pattern in ('libgweather-*-locations', 'iso_3166-*'):
        for path in sorted(root.rglob(f'{locale}/LC_MESSAGES/{pattern}.mo')):
            yield from gather.catalogue(path.read_bytes())


def japanese(root):
    skk = root / 'usr/share/skk'
    offices = [word.split('@') for word in entries(skk / 'SKK-JISYO.office.zipcode')]
    addresses = [office[1] for office in offices if len(office) > 1]
    people = list(entries(skk / 'SKK-JISYO.fullname')) + list(entries(skk / 'SKK-JISYO.jinmei'))
    return people, list(entries(skk / 'SKK-JISYO.geo')) + addresses, [office[0] for office in offices]


def chinese(root):
    kinds = {'nr': [], 'ns': [], 'nt': []}
    dictionary = root / 'usr/lib/python3/dist-packages/jieba/dict.txt'
    for line in dictionary.read_text('utf-8').splitlines():
        word, _, kind = line.split(' ')
        if kind in kinds and len(word) > 1 and not re.search('[A-Za-z]', word):
            kinds[kind].append(word)
    # Among the names of people are phrases. A surname begins many names.
    people = [name for name in kinds['nr'] if len(name) <= 3]
    begins = Counter(name[0] for name in people)
    people = [name for name in people if begins[name[0]] >= SURNAME]
    return people, kinds['ns'], kinds['nt']


def taiwanese(root):
    people, _, organizations = chinese(root)
    converted = subprocess.run(['opencc', '-c', 's2tw'], input='\n'.join(people + organizations), text=True,
                               capture_output=True, check=True).stdout.splitlines()
    return converted[:len(people)], [], converted[len(people):]


# What gives the people, places and organizations of a language.
EAST_ASIAN = {'ja': japanese, 'zh_CN': chinese, 'zh_TW': taiwanese}


def capitalized(path):
    """The words of a spell checker's dictionary (`word/flags`) that begin with a capital and go on in small letters."""
    settings = path.with_suffix('.aff').read_bytes()
    settings = settings.removeprefix(b'\xef\xbb\xbf')
    encoding = re.search(rb'^SET\s+(\S+)', settings, re.MULTILINE)[1].decode()
    if encoding.startswith('microsoft-cp'):
        encoding = encoding.removeprefix('microsoft-')
    for line in path.read_bytes().decode(encoding, 'replace').splitlines()[1:]:
        word = re.split(r'[/\t ]', line)[0]
        letters = re.sub("[-']", '', word)
        if len(word) > 2 and word[0].isupper() and letters.isalpha() and letters[1:].islower():
            yield word


def main():
    if sys.argv[1] == '--fetch':
        folder = Path(sys.argv[2])
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(['apt-get', 'download', *sorted(PACKAGES)], cwd=folder, check=True)
        return
    debs, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with open(out / 'packages.tsv', 'w') as packages:
            print('# The Debian packages whose names were counted: package, version.', file=packages)
            for package in sorted(PACKAGES):
                deb = sorted(debs.glob(f'{package}_*.deb'))[-1]
                subprocess.run(['dpkg-deb', '-x', deb, folder], check=True)
                version = subprocess.run(['dpkg-deb', '-f', deb, 'Version'], text=True, capture_output=True, check=True)
                print(package, version.stdout.strip(), sep='\t', file=packages)
        root = Path(folder)
        for language in sorted(gather.LANGUAGES):
            names = evenly(list(places(root, language)), PLACES)
            if language in EAST_ASIAN:
                for kind, most in zip(EAST_ASIAN[language](root), (PEOPLE, PLACES, ORGANIZATIONS)):
                    names += evenly(kind, most)
            else:
                words = []
                for dictionary in SPELL_CHECKERS.get(language, '').split():
                    words += capitalized(root / 'usr/share/hunspell' / (dictionary.split('/')[1] + '.dic'))
                names += evenly(words, WORDS)
            (out / f'{language}.txt').write_text('\n'.join(names) + '\n')
            print(f'{language}: {len(names)} names')


if __name__ == '__main__':
    main()
