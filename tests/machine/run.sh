#!/bin/sh
# Runs commands on the scratch machine, and stands in for apt-get, systemctl and journalctl: sh run.sh FOLDER
#
# FOLDER has the packages, and the commands in a file `commands`.
#
# Only what systemd would do is imitated: it starts what the installed unit names, as the user that it names. The packages' own scripts, Postfix's
# programs and the commands of the page are the real ones.
set -eu
folder=$1

cat >/usr/local/sbin/apt-get <<'SHIM'
#!/bin/sh
set -eu
case "$*" in
update | "install -y postfix curl")
    # Postfix is installed on the machine; this is the rest of its postinst for an "Internet Site".
    [ "$1" = install ] || exit 0
    cp -a /mnt/etc/postfix /etc/postfix
    cp /usr/share/postfix/main.cf.debian /etc/postfix/main.cf
    cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf
    cat /usr/share/postfix/main.cf.tls >>/etc/postfix/main.cf
    postconf -e 'smtpd_relay_restrictions=permit_mynetworks permit_sasl_authenticated defer_unauth_destination' \
        'myhostname=mail.example.org' 'alias_maps=hash:/etc/aliases' 'alias_database=hash:/etc/aliases' \
        'mydestination=$myhostname, mail.example.org, localhost.example.org, localhost' 'relayhost=' \
        'mynetworks=127.0.0.0/8 [::ffff:127.0.0.0]/104 [::1]/128' 'mailbox_size_limit=0' 'recipient_delimiter=+' \
        'inet_interfaces=all' 'inet_protocols=ipv4' 'smtpd_tls_security_level=none'
    echo 'postmaster: root' >/etc/aliases
    postfix check
    newaliases
    systemctl start postfix
    ;;
"install -y ./mailglot_"*) dpkg --no-triggers -i "$3" ;;
"install -y --reinstall ./mailglot_"*) dpkg --no-triggers -i "$4" ;;
"remove -y mailglot") dpkg --no-triggers -r mailglot ;;
"purge -y mailglot") dpkg --no-triggers -P mailglot ;;
*)
    echo "apt-get: nothing stands in for: $*" >&2
    exit 1
    ;;
esac
SHIM

cat >/usr/local/sbin/systemctl <<'SHIM'
#!/bin/sh
set -eu
echo "systemctl $*" >>/run/actions
[ "$*" != "--system daemon-reload" ] || exit 0
# deb-systemd-helper reads and writes files only, as systemctl does with a root.
case "$1" in --*) exec /mnt/usr/bin/systemctl "$@" ;; esac
now=
[ "${2:-}" != --now ] || { now=yes; set -- "$1" "$3"; }
[ "$#" -lt 2 ] || set -- "$1" "${2%.service}"
unit=/lib/systemd/system/${2:-}.service
value() { sed -n "s/^$1=//p" "$unit"; }
alive() { [ -e /run/gateway.pid ] && kill -0 "$(cat /run/gateway.pid)" 2>/dev/null; }
case "$1 ${2:-}" in
"start postfix") /usr/lib/postfix/configure-instance.sh - && postfix -c /etc/postfix start ;;
"reload postfix") postfix reload ;;
"stop postfix") postfix stop ;;
"daemon-reload ") ;;
"enable mailglot") /mnt/usr/bin/systemctl --root=/ enable mailglot.service ;;
"cat mailglot") cat "$unit" ;;
"start mailglot")
    for command in "$(value ExecStartPre | sed 's/^[+-]*//')"; do $command || true; done
    user=$(value User)
    for directory in $(value StateDirectory); do
        install -d -o "$user" -g "$user" -m "$(value StateDirectoryMode)" "/var/lib/$directory"
    done
    install -d -o "$user" -g "$user" -m "$(value RuntimeDirectoryMode)" "/run/$(value RuntimeDirectory)"
    touch /run/gateway.log
    ready=$(grep -c 'metrics at' /run/gateway.log || true)
    umask "$(value UMask)"
    setpriv --reuid "$user" --regid "$user" --init-groups --inh-caps=-all --no-new-privs \
        $(value ExecStart) >>/run/gateway.log 2>&1 &
    echo $! >/run/gateway.pid
    for _ in $(seq 100); do
        [ "$(grep -c 'metrics at' /run/gateway.log)" = "$ready" ] || exit 0
        alive || break
        sleep 0.1
    done
    echo "mailglot does not start:" >&2
    cat /run/gateway.log >&2
    exit 1
    ;;
"stop mailglot" | "disable mailglot")
    if { [ "$1" = stop ] || [ -n "$now" ]; } && alive; then
        kill "$(cat /run/gateway.pid)"
        while alive; do sleep 0.05; done
    fi
    [ "$1" = stop ] || /mnt/usr/bin/systemctl --root=/ disable mailglot.service
    ;;
"try-restart mailglot") ! alive || systemctl restart mailglot ;;
"restart mailglot") systemctl stop mailglot && systemctl start mailglot ;;
"reload mailglot")
    answers() { grep -c 'policies read anew\|reload rejected' /run/gateway.log || true; }
    before=$(answers)
    # `+` runs a line as root, without it the unit's user does. The first that fails ends the reload.
    value ExecReload | while read -r command; do
        command=$(echo "$command" | sed "s/\$MAINPID/$(cat /run/gateway.pid)/")
        case "$command" in
        +*) ${command#+} ;;
        *) setpriv --reuid "$(value User)" --regid "$(value User)" --init-groups $command ;;
        esac || exit 1
    done
    for _ in $(seq 100); do
        [ "$(answers)" = "$before" ] || exit 0
        sleep 0.1
    done
    exit 1
    ;;
*)
    echo "systemctl: nothing stands in for: $*" >&2
    exit 1
    ;;
esac
SHIM

# The machine may forbid to start services (policy-rc.d); here they are imitated.
cat >/usr/local/sbin/deb-systemd-invoke <<'SHIM'
#!/bin/sh
echo "deb-systemd-invoke $*" >>/run/actions
exec systemctl "$@"
SHIM

cat >/usr/local/sbin/journalctl <<'SHIM'
#!/bin/sh
[ "$1 $2" = "-u mailglot" ] && exec cat /run/gateway.log
echo "journalctl: nothing stands in for: $*" >&2
exit 1
SHIM
chmod 755 /usr/local/sbin/*
# The scripts of packages call systemctl only if systemd runs.
mkdir -p /run/systemd/system
export PATH="/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LC_ALL=C.UTF-8

mkdir /tmp/page
cd /tmp/page
cp -a "$folder/." .
set +e
bash -eu -o pipefail -x ./commands
code=$?
if [ $code != 0 ]; then
    cat /run/gateway.log
    mailq
    ls -lR /var/mail /var/spool/postfix/mailglot /var/lib/mailglot
fi
exit $code
