"""Downloads the packages of packages.tsv with the clients of their registries, and checks their SHA-256.

Debian's source packages come by `apt-get source --download-only` with lists of their own, so that the lists of the machine stay as they
are. Nothing is installed. pip checks the SHA-256 before it unpacks a package. Then it runs the package's setup.py or build backend, which
names the version, as it does for each package without a wheel. npm runs no script of a package.

# Limits
pip downloads build backends (setuptools, hatchling) without a hash.
"""
import hashlib
import os
import subprocess
import sys
import tempfile

MIRROR = 'http://deb.debian.org/debian'


def packages(table):
    """The rows of the table: registry, package, version, file, SHA-256, licence, uses."""
    with open(table, encoding='utf-8') as file:
        return [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]


def fetch(rows, downloads, apt):
    """Downloads what is not there yet. Returns the files that are missing or have another hash."""
    os.makedirs(downloads, exist_ok=True)
    missing = [row for row in rows if not present(row, downloads)]
    for release in sorted({row[0] for row in missing if row[0].startswith('debian:')}):
        debian(release.removeprefix('debian:'), sorted({row[1] for row in missing if row[0] == release}), downloads, apt)
    for registry, name, version, _, digest, *_ in missing:
        if registry == 'pypi':
            pypi(name, version, digest, downloads)
        elif registry == 'npm':
            run(['npm', 'pack', '--silent', '--ignore-scripts', f'{name}@{version}'], downloads)
    return [row[3] for row in missing if not present(row, downloads)]


def present(row, downloads):
    path = os.path.join(downloads, row[3])
    if not os.path.exists(path):
        return False
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest() == row[4]


def pypi(name, version, digest, downloads):
    """Downloads a source package. pip refuses a file with another SHA-256 before it runs anything of it."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt', encoding='utf-8') as requirement:
        requirement.write(f'{name}=={version} --hash=sha256:{digest}\n')
        requirement.flush()
        run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', '--require-hashes', '-r', requirement.name],
            downloads)


def debian(release, names, downloads, apt):
    folder = os.path.join(apt, release)
    for part in ('lists/partial', 'cache/archives/partial'):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
    with open(os.path.join(folder, 'sources.list'), 'w', encoding='utf-8') as file:
        file.write(f'deb-src {MIRROR} {release} main\n')
    options = ['-o', f'Dir::Etc::SourceList={folder}/sources.list', '-o', 'Dir::Etc::SourceParts=/dev/null',
               '-o', f'Dir::State::Lists={folder}/lists', '-o', f'Dir::Cache={folder}/cache']
    run(['apt-get', *options, '-qq', 'update'], downloads)
    # One at a time: a package that the mirror no longer has would stop all others.
    for name in names:
        run(['apt-get', *options, '-qq', 'source', '--download-only', name], downloads)


def run(command, folder):
    """Runs a command. Its failure is not final: a mirror may lack one file of a package that has others. The hash decides."""
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
