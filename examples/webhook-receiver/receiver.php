<?php // php -S localhost:3000 receiver.php
$body = file_get_contents('php://input');
[$id, $at, $sent] = array_map(fn ($name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$mine = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $key, true));
$good = array_filter(explode(' ', $sent), fn ($one) => hash_equals($mine, $one));
if (!$good || abs(time() - (int) $at) >= 300) { http_response_code(401); exit; }
error_log($_SERVER['HTTP_X_EVENT_TYPE'] . ' ' . json_encode(json_decode($body)));
http_response_code(204);
