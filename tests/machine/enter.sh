#!/bin/sh
# Runs a script on a scratch copy of this Debian machine, as root: sh enter.sh SCRIPT [ARGUMENT...]
#
# The caller has given this process mounts, network, host name and processes of its own (unshare). Programs are those of the machine, through links to
# /mnt. What a package writes is in memory and gone afterwards: /etc, /run, /tmp, parts of /usr and /var. The rest of / is read-only.
# No mail server, no service and no user of the machine is touched.
set -eu

mount --make-rprivate /
mount --rbind / /mnt
# /usr/bin is empty for a moment.
PATH=/mnt/usr/sbin:/mnt/usr/bin:/mnt/sbin:/mnt/bin
ip link set lo up
hostname mail.example.org

# Makes a directory writable whose entries are links to the machine's.
links() {
    [ ! -L "$1" ] || rm "$1"
    mkdir -p "$1"
    find "/mnt$1" -mindepth 1 -maxdepth 1 -exec ln -s -t "$1" {} + 2>/dev/null || true
}
memory() {
    mount -t tmpfs -o "mode=$2" scratch "$1"
}

for directory in /usr/bin /usr/lib/systemd/system /usr/lib/sysusers.d /usr/lib/tmpfiles.d /usr/share; do
    [ -d "$directory" ] || continue
    memory "$directory" 755
    links "$directory"
done
for directory in /usr/share/doc /usr/share/man /usr/share/man/man1 /usr/share/bash-completion \
    /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/vendor-completions /usr/share/fish; do
    links "$directory"
done

memory /etc 755
cp -a /mnt/etc/. /etc
rm -rf /etc/mailglot /etc/postfix
for file in passwd shadow group gshadow; do
    sed -i '/^mailglot:/d' "/etc/$file"
done
memory /run 755
memory /tmp 1777
memory /usr/local/sbin 755
memory /var 755
links /var
for directory in /var/lib /var/cache /var/spool /var/lib/dpkg; do
    links "$directory"
done
for file in status diversions statoverride; do
    cp --remove-destination "/mnt/var/lib/dpkg/$file" /var/lib/dpkg/
done
for directory in info updates triggers; do
    rm -rf "/var/lib/dpkg/$directory"
    mkdir "/var/lib/dpkg/$directory"
done
rm -f /var/lib/dpkg/lock /var/lib/dpkg/lock-frontend
links /var/lib/dpkg/info
rm -f /var/lib/dpkg/info/mailglot.*
for directory in /var/lib/systemd /var/lib/postfix /var/lib/mailglot /var/spool/postfix /var/log /var/mail /var/tmp; do
    rm -rf "$directory"
    mkdir "$directory"
done
chown postfix:postfix /var/lib/postfix
chmod 1777 /var/tmp
chown root:mail /var/mail
chmod 2775 /var/mail
mkdir -p /var/spool/postfix/etc /var/spool/postfix/lib /var/spool/postfix/usr/lib /var/spool/postfix/dev /var/spool/postfix/pid

# What is forgotten above fails instead of changing the machine.
mount -o remount,bind,ro /mnt
mount -o remount,bind,ro /

exec "$@"
