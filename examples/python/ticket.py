# Creates a ticket with the standard library: PASS_WALLET_URL=… PASS_WALLET_KEY=… python3 ticket.py TEMPLATE ORDER
import json, os, sys, time, urllib.error, urllib.parse, urllib.request

ATTEMPTS = 4

if len(sys.argv) != 3 or "PASS_WALLET_URL" not in os.environ:
    sys.exit("Usage: PASS_WALLET_URL=… PASS_WALLET_KEY=… python3 ticket.py TEMPLATE ORDER")


def call(method, path, body=None, key=None):
    """Sends a request. What is refused for a moment is sent again, with the same key, so that it happens once."""
    headers = {"Authorization": os.environ["PASS_WALLET_KEY"], "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    content = None if body is None else json.dumps(body).encode()
    for attempt in range(1, ATTEMPTS + 1):
        request = urllib.request.Request(os.environ["PASS_WALLET_URL"] + path, content, headers, method=method)
        wait = 0.0
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            problem = f"status {error.code} {error.read().decode()}"
            wait = float(error.headers["Retry-After"] or 0)
            if error.code != 429 and error.code < 500:
                break
        except OSError as error:
            problem = str(error)
        if attempt < ATTEMPTS:
            time.sleep(max(wait, 0.25 * 2**attempt))
    sys.exit(f"{method} {path}: {problem}")


template, order = sys.argv[1:]
data = {"templateId": template, "userProvidedId": order}
ticket = call("POST", "/api/v3/pass?async=false", {"data": data}, f"order-{order}")["data"]
print(ticket["downloadPage"])

# All passes of the account, page by page.
count, path = 0, "/api/v3/pass?pageSize=100&fields=identifier,userProvidedId"
while path:
    page = call("GET", path)
    count += len(page["data"])
    following = urllib.parse.urlsplit(page["page"]["next"] or "")
    path = following.query and f"{following.path}?{following.query}"
print(f"{count} passes")
