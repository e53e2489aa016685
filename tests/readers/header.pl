# Decodes header values with Perl's Encode::MIME::Header: NUL-separated values on standard input, a line of JSON for each on standard output.
use strict;
use warnings;
use Encode qw(decode);
use JSON::PP;

local $/ = "\0";
binmode STDIN;
my $json = JSON::PP->new->allow_nonref->ascii;
while (my $value = <STDIN>) {
    chomp $value;
    my $text = eval { local $SIG{__WARN__} = sub { }; decode("MIME-Header", $value) };
    print $json->encode($text), "\n";
}
