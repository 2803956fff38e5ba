# python3 receiver.py
import base64, hmac, http.server, json, os, time
key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        id, at, sent = (self.headers["webhook-" + name] or "" for name in ("id", "timestamp", "signature"))
        mine = b"v1," + base64.b64encode(hmac.digest(key, f"{id}.{at}.".encode() + body, "sha256"))
        good = any(hmac.compare_digest(mine, one.encode()) for one in sent.split()) and abs(time.time() - int(at)) < 300
        if good: print(self.headers["X-Event-Type"], json.loads(body), flush=True)
        self.send_response(204 if good else 401)
        self.end_headers()
http.server.ThreadingHTTPServer(("localhost", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
