# Reads messages with Email::MIME, or header and body with Encode alone: `readers.pl Email::MIME`, `readers.pl Encode`.
#
# Standard input has messages, each behind its length as eight bytes, big-endian. Each gives a line of JSON: {"subject", "text"} or {"error"}.
# Limits: Encode decodes the Subject by MIME-Header and the body by its label; it knows no transfer encoding, so MIME::Base64 and
# MIME::QuotedPrint of the core decode that.
use strict;
use warnings;
no warnings;
use Encode ();
use JSON::PP ();
use MIME::Base64 ();
use MIME::QuotedPrint ();

my $reader = shift;
if ($reader eq 'Email::MIME') {
    require Email::MIME;
}
my $json = JSON::PP->new->utf8->canonical;
binmode STDIN;

sub by_encode {
    my $raw = shift;
    my ($header, $body) = split /\n\n/, $raw, 2;
    my ($subject) = $header =~ /^Subject: (.*)$/m;
    my ($label) = $header =~ /charset=(\S+)/;
    my ($transfer) = $header =~ /^Content-Transfer-Encoding: (\S+)/m;
    $body = MIME::Base64::decode($body) if $transfer eq 'base64';
    $body = MIME::QuotedPrint::decode($body) if $transfer eq 'quoted-printable';
    return {
        subject => Encode::decode('MIME-Header', $subject),
        text => Encode::decode($label || 'us-ascii', $body),
    };
}

sub by_email_mime {
    my $message = Email::MIME->new(shift);
    return { subject => $message->header_str('Subject'), text => $message->body_str };
}

my $read = $reader eq 'Encode' ? \&by_encode : \&by_email_mime;
while (read(STDIN, my $head, 8) == 8) {
    read(STDIN, my $raw, unpack('Q>', $head));
    my $found = eval { $read->($raw) } || { error => "$@" };
    print $json->encode($found), "\n";
}
