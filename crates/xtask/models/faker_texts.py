#!/usr/bin/env python3
"""Writes names, places, companies, jobs and sentences from Faker as test data: the material of `mailglot_tests::faker`.

    faker_texts.py OUT.tsv.zst

Creates a temporary virtual environment, installs the version of Faker that `VERSION` names into it, and runs itself there. The seed is
fixed, so the same version writes the same file. Each row has three columns: locale, kind, text. No text occurs twice.
Needs the program `zstd`. `tests/data/README.md` names source and licence.

Limits: Faker lacks some kinds in some locales. Where it would answer in English, nothing is written. Sentences are random words of the
language, not grammar. Texts without non-ASCII characters are limited to `ASCII_CAP` for each kind and locale.
"""
import os
import subprocess
import sys
import tempfile
import venv

VERSION = '40.54.0'
SEED = 20051

# Method of Faker, its provider, and the most texts to take for one locale.
KINDS = {
    'name': ('name', 'person', 300),
    'city': ('city', 'address', 200),
    'street': ('street_address', 'address', 150),
    'region': ('administrative_unit', 'address', 60),
    'country': ('country', 'address', 150),
    'company': ('company', 'company', 150),
    'phrase': ('catch_phrase', 'company', 100),
    'job': ('job', 'job', 250),
    'color': ('color_name', 'color', 60),
    'day': ('day_of_week', 'date_time', 7),
    'month': ('month_name', 'date_time', 12),
    'sentence': ('sentence', 'lorem', 300),
}
ASCII_CAP = 40
# English has no other text: its sentences carry the signs of tests.
ENGLISH_CAP = 200
# Mail in these scripts is UTF-8.
UTF8_LOCALES = 'am_ET az_AZ bn_BD gu_IN hi_IN hy_AM ka_GE mr_IN ne_NP or_IN si_LK ta_IN'.split()
UTF8_CAP = 20


def texts(locale):
    """Yields (kind, text) for one locale."""
    from faker import Faker
    fake = Faker(locale)
    fake.seed_instance(f'{SEED} {locale}')
    languages = {type(p).__module__.split('.')[2]: p.__lang__ for p in fake.get_providers() if hasattr(p, '__lang__')}
    for kind, (method, provider, cap) in KINDS.items():
        if languages.get(provider) != locale or not hasattr(fake, method):
            continue
        make = getattr(fake, method)
        cap = min(cap, UTF8_CAP) if locale in UTF8_LOCALES else cap
        seen, ascii_left = set(), ENGLISH_CAP if locale.startswith('en_') else ASCII_CAP
        for _ in range(cap * 6):
            if kind == 'sentence':
                text = make(nb_words=fake.random_int(3, 12))
            else:
                text = make()
            text = ' '.join(str(text).split())
            if not text or text in seen or any(c < ' ' for c in text):
                continue
            if text.isascii():
                if not ascii_left:
                    continue
                ascii_left -= 1
            seen.add(text)
            yield kind, text
            if len(seen) == cap:
                break


def write(path):
    from faker.config import AVAILABLE_LOCALES
    rows, seen = [], set()
    for locale in sorted(name for name in AVAILABLE_LOCALES if '_' in name):
        for kind, text in texts(locale):
            if text not in seen:
                seen.add(text)
                rows.append(f'{locale}\t{kind}\t{text}\n')
    table = ''.join([f'# Faker {VERSION}, seed {SEED}: locale, kind, text\n', *rows]).encode()
    subprocess.run(['zstd', '-q', '-f', '-19', '-o', path, '-'], input=table, check=True)
    beyond = sum(not row.isascii() for row in rows)
    print(f'{len(rows)} texts, {beyond} with characters beyond ASCII, {len({row[:5] for row in rows})} locales')


if __name__ == '__main__':
    if len(sys.argv) == 3 and sys.argv[1] == '--inside':
        write(sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = os.path.join(folder, 'bin', 'python')
            subprocess.run([python, '-m', 'pip', 'install', '-q', f'Faker=={VERSION}'], check=True)
            # Faker takes elements of sets: their order depends on the seed of hashes.
            settings = {**os.environ, 'PYTHONHASHSEED': '0', 'PYTHONWARNINGS': 'ignore'}
            subprocess.run([python, os.path.abspath(__file__), '--inside', os.path.abspath(sys.argv[1])], check=True, env=settings)
