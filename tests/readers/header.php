<?php
// Decodes header values with PHP's iconv or mbstring: NUL-separated values on standard input, a line of JSON for each on standard output.
mb_internal_encoding('UTF-8');
$values = explode("\0", stream_get_contents(STDIN));
array_pop($values);
foreach ($values as $value) {
    try {
        $text = $argv[1] === 'iconv'
            ? @iconv_mime_decode($value, ICONV_MIME_DECODE_CONTINUE_ON_ERROR, 'UTF-8')
            : @mb_decode_mimeheader($value);
    } catch (Throwable $error) {
        $text = false;
    }
    echo json_encode($text === false ? null : $text, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
