#!/usr/bin/env python3
"""Runs mailglot over real mail from packages, and holds its readings against verdicts that people made.

usage: check.py MAILGLOT FOLDER

FOLDER keeps the downloads and what is extracted: `messages`, `texts` (without a label) and `mailboxes`. Each is normalized, restored and
normalized again, and the text of both sides is compared. Prints each broken law, each wrong reading and each reading without a verdict.
Exit code 1 if there is one.

verdicts.tsv: the first 12 digits of the SHA-256 of a message, the part, the charsets that read it right joined by `|`, or `?` where
nobody can know. A part is judged if it has other characters than ASCII and was read in another charset than its label, or has no label.

Limits: a reading that follows the label is believed. Header fields are checked by the laws only.
"""
import base64
import hashlib
import json
import os
import quopri
import re
import shutil
import subprocess
import sys

import extract
import fetch

HERE = os.path.dirname(os.path.abspath(__file__))
# Labels whose usual superset is no other reading.
SAME = {
    'iso-8859-1': {'iso-8859-1', 'windows-1252'},
    'latin1': {'iso-8859-1', 'windows-1252'},
    'us-ascii': {'us-ascii', 'utf-8'},
    'utf8': {'utf-8'},
    'gb2312': {'gbk', 'gb2312', 'gb18030'},
    'ks_c_5601-1987': {'uhc', 'euc-kr', 'windows-949'},
    'euc-kr': {'uhc', 'euc-kr', 'windows-949'},
    'shift_jis': {'windows-31j', 'shift_jis'},
    'iso-2022-jp': {'iso-2022-jp', 'cp50220', 'cp50221'},
}


def main():
    program, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    packages = fetch.packages(os.path.join(HERE, 'packages.tsv'))
    missing = fetch.fetch(packages, os.path.join(folder, 'downloads'), os.path.join(folder, 'apt'))
    if missing:
        sys.exit(f'cannot download into {folder}/downloads, or SHA-256 differs: ' + ', '.join(missing))
    counts = gather(packages, folder)
    print(f'{len(packages)} packages: ' + ', '.join(f'{count} {kind}' for kind, count in counts.items()))
    trouble = 0
    for kind in counts:
        trouble += laws(program, os.path.join(folder, kind), os.path.join(folder, 'work', kind))
    trouble += verdicts(program, [os.path.join(folder, kind) for kind in ('messages', 'texts')])
    sys.exit(1 if trouble else 0)


def gather(packages, folder):
    """Writes messages, texts and mailboxes, each once, and index.tsv, which names where they come from. Returns their numbers."""
    kinds = {'messages': '.eml', 'texts': '.eml', 'mailboxes': '.mbox'}
    seen, index = {kind: set() for kind in kinds}, []

    def add(kind, content, package, name):
        digest = hashlib.sha256(content).hexdigest()[:12]
        if digest in seen[kind]:
            return
        seen[kind].add(digest)
        with open(os.path.join(folder, kind, digest + kinds[kind]), 'wb') as file:
            file.write(content)
        index.append((digest + kinds[kind], kind, package, name.split('!', 1)[-1].encode('ascii', 'replace').decode()))

    for kind in kinds:
        shutil.rmtree(os.path.join(folder, kind), ignore_errors=True)
        os.makedirs(os.path.join(folder, kind))
    for _, package, _, file, _, _, uses in packages:
        path = os.path.join(folder, 'downloads', file)
        if 'm' in uses:
            for name, data in extract.mails(path):
                if data.startswith(b'From '):
                    add('mailboxes', data, package, name)
                for message in extract.messages(data):
                    add('messages', message, package, name)
        if 't' in uses:
            for name, text in extract.texts(path):
                add('texts', extract.wrapped(text), package, name)
    with open(os.path.join(folder, 'index.tsv'), 'w', encoding='utf-8') as file:
        file.writelines('\t'.join(row) + '\n' for row in sorted(index))
    return {kind: len(found) for kind, found in seen.items()}


def laws(program, folder, work):
    """Normalizes, restores and normalizes again. Prints what breaks, and returns how much."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    once, twice, back, report = (os.path.join(work, name) for name in ('once', 'twice', 'back', 'report.json'))
    # Several inputs make a folder of outputs: mailboxes are given one by one.
    inputs = [folder] if not folder.endswith('mailboxes') else sorted(os.path.join(folder, name) for name in os.listdir(folder))
    name, found = os.path.basename(folder), []

    def run(*arguments):
        done = subprocess.run([program, '-q', *arguments], capture_output=True, check=False)
        if done.returncode:
            found.append(f'{name}: {arguments[0]}: exit {done.returncode}: {done.stderr.decode(errors="replace")[:300]}')
        return done

    if run('normalize', *inputs, '-o', once, '--report', report).returncode == 0:
        with open(report, encoding='utf-8') as file:
            identity = json.load(file)['identity']
        if not identity['holds'] or identity['messages_in'] != identity['written'] + identity['set_aside']:
            found.append(f'{name}: messages in are not messages out: {identity}')
        if run('restore', once, '-o', back).returncode == 0:
            found += [f'{name}: not restored byte for byte: {path}' for path in differences(folder, back)]
        again = [once] if inputs == [folder] else sorted(os.path.join(once, entry) for entry in os.listdir(once))
        if run('normalize', *again, '-o', twice).returncode == 0:
            found += [f'{name}: law 3, the second pass changes it: {path}' for path in differences(once, twice)]
        found += [f'{name}: law 11, text of input and output differ: {place}' for place in other_text(program, inputs, again)]
        found += [f'{name}: U+FFFD without a loss: {place}' for place in unreported(program, inputs)]
    print('\n'.join(found) if found else f'{name}: restored byte for byte, second pass unchanged, text unchanged')
    return len(found)


def differences(one, other):
    """Paths below two folders that are not in both, or have other bytes."""
    def tree(folder):
        return {os.path.relpath(os.path.join(below, name), folder) for below, _, names in os.walk(folder) for name in names}
    names = tree(one) | tree(other)
    return [name for name in sorted(names) if content(os.path.join(one, name)) != content(os.path.join(other, name))]


def content(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        return None


def parts(program, inputs):
    """The objects of `text --json`."""
    run = subprocess.run([program, '-q', 'text', '--json', *inputs], capture_output=True, check=False)
    return [json.loads(line) for line in run.stdout.decode('utf-8').splitlines()]


def place(part):
    """File, message, part. The messages of a folder are numbered, in the output, too, where their names are others."""
    return '' if 'path' in part else os.path.basename(part['file']), part['message'], part['part']


def other_text(program, inputs, outputs):
    """Parts whose text differs. A line end may be added at the very end."""
    # `<meta charset>` names the charset of the output.
    before, after = ({place(part): re.sub(r'(?i)charset=["\']?[\w.:-]+', 'charset', part['text'] or '') for part in parts(program, side)} for side in (inputs, outputs))
    names = sorted(os.listdir(inputs[0])) if os.path.isdir(inputs[0]) else []
    for key in sorted(set(before) | set(after)):
        one, other = before.get(key), after.get(key)
        if one != other and (one is None or other is None or one + '\n' != other):
            at = next((i for i, (a, b) in enumerate(zip(one or '', other or '')) if a != b), min(len(one or ''), len(other or '')))
            name = names[key[1]] if not key[0] else f'{key[0]} message {key[1]}'
            yield f'{name} part {key[2]} at {at}: {around(one, at)} became {around(other, at)}'


def around(text, at):
    return 'no such part' if text is None else repr(text[max(0, at - 15):at + 25])


def unreported(program, inputs):
    """Parts with a replacement character, no loss, and none in the message."""
    for part in parts(program, inputs):
        if '\ufffd' in (part['text'] or '') and not part['losses']:
            raw = content(os.path.join(inputs[0], part['path'])) if 'path' in part else content(part['file'])
            if b'\xef\xbf\xbd' not in raw + quopri.decodestring(raw) and not in_base64(raw):
                yield f'{part.get("path") or part["file"]} message {part["message"]} part {part["part"]}'


def in_base64(raw):
    """True if a paragraph in base64 holds a replacement character in UTF-8."""
    for paragraph in raw.replace(b'\r\n', b'\n').split(b'\n\n'):
        try:
            if b'\xef\xbf\xbd' in base64.b64decode(paragraph.split(b'\n--')[0]):
                return True
        except ValueError:
            continue
    return False


def verdicts(program, folders):
    """Holds each reading that does not follow a label against verdicts.tsv. Returns how many are wrong or not judged."""
    with open(os.path.join(HERE, 'verdicts.tsv'), encoding='utf-8') as file:
        table = {tuple(row[:2]): row[2] for row in (line.rstrip('\n').split('\t') for line in file) if not row[0].startswith('#')}
    with open(os.path.join(os.path.dirname(folders[0]), 'index.tsv'), encoding='utf-8') as file:
        origin = {row[0]: ' '.join(row[2:]) for row in (line.rstrip('\n').split('\t') for line in file)}
    right = wrong = unjudged = unknown = 0
    for part in parts(program, folders):
        text, used, label = part['text'] or '', part['used'].lower(), (part['charset'] or '').lower()
        if text.isascii() or used in SAME.get(label, {label}):
            continue
        name = os.path.basename(part['path'])
        verdict = table.get((name.removesuffix('.eml'), part['part']))
        around = ' … '.join(text[max(0, i - 15):i + 15] for i, c in enumerate(text) if c > '\x7f' and text[i - 1:i] <= '\x7f')[:120]
        shown = f'{name} part {part["part"]} ({origin[name]}) label {label or "none"}, read as {used}: {around!r}'
        if verdict is None:
            unjudged += 1
            print('no verdict:', shown)
        elif verdict == '?':
            unknown += 1
        elif used in verdict.split('|'):
            right += 1
        else:
            wrong += 1
            print(f'wrong, right is {verdict}:', shown)
    print(f'{right + wrong} readings judged: {right} right, {wrong} wrong; {unknown} that nobody can know; {unjudged} without a verdict')
    return wrong + unjudged


if __name__ == '__main__':
    main()
