<?php
// Creates a ticket without any library: PASS_WALLET_URL=… PASS_WALLET_KEY=… php ticket.php TEMPLATE ORDER
if (count($argv) !== 3 || !getenv('PASS_WALLET_URL')) {
    fwrite(STDERR, "Usage: PASS_WALLET_URL=… PASS_WALLET_KEY=… php ticket.php TEMPLATE ORDER\n");
    exit(1);
}
[, $template, $order] = $argv;
const ATTEMPTS = 4;

/** Sends a request. What is refused for a moment is sent again, with the same key, so that it happens once. */
function call(string $method, string $path, ?array $body = null, ?string $key = null): array {
    $headers = ['Authorization: ' . getenv('PASS_WALLET_KEY'), 'Content-Type: application/json'];
    if ($key !== null) $headers[] = "Idempotency-Key: $key";
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true, 'timeout' => 30];
    if ($body !== null) $http['content'] = json_encode($body, JSON_THROW_ON_ERROR);
    for ($attempt = 1; ; $attempt++) {
        $http_response_header = [];
        $text = @file_get_contents(getenv('PASS_WALLET_URL') . $path, false, stream_context_create(['http' => $http]));
        preg_match('{^HTTP/\S+ (\d+)}', $http_response_header[0] ?? '', $found);
        $status = (int) ($found[1] ?? 0);
        if ($status >= 200 && $status < 300) return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
        if ($attempt === ATTEMPTS || !($status === 0 || $status === 429 || $status >= 500)) break;
        preg_match('/^Retry-After: (\d+)/mi', implode("\n", $http_response_header), $wait);
        usleep((int) (max((int) ($wait[1] ?? 0), 0.25 * 2 ** $attempt) * 1_000_000));
    }
    fwrite(STDERR, "$method $path: status $status " . implode('; ', json_decode((string) $text, true)['errors'] ?? []) . "\n");
    exit(1);
}

$data = ['templateId' => $template, 'userProvidedId' => $order];
$pass = call('POST', '/api/v3/pass?async=false', ['data' => $data], "order-$order")['data'];
echo $pass['downloadPage'], "\n";

// All passes of the account, page by page.
$path = '/api/v3/pass?pageSize=100&fields=identifier,userProvidedId';
for ($count = 0; $path !== null; $count += count($page['data'])) {
    $page = call('GET', $path);
    $next = parse_url($page['page']['next'] ?? '');
    $path = isset($next['query']) ? "$next[path]?$next[query]" : null;
}
echo "$count passes\n";
