"""A receiver of webhooks for the judge, good but for the habits that its arguments name. It prints its port."""

import base64
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HABITS = set(sys.argv[1:])
KEYS = [base64.b64decode(secret[len("whsec_"):]) for secret in os.environ["SECRETS"].split(" ")]
TYPES = {"animal.created", "animal.status_changed"}

lock = threading.Lock()
acted = []
animals = {}
highest = 0


def is_genuine(body, headers):
    id, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not id or not timestamp or not signatures:
        return False
    if "checks no age" not in HABITS:
        if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
            return False
    content = f"{id}.{timestamp}.".encode() + body
    given = signatures.split(" ")
    if "looks at the first signature" in HABITS:
        given = given[:1]
    for key in KEYS:
        expected = b"v1," + base64.b64encode(hmac.digest(key, content, "sha256"))
        if any(hmac.compare_digest(expected, each.encode()) for each in given):
            return True
    return False


def receive(body, headers):
    global highest
    if not is_genuine(body, headers):
        return 200 if "accepts everything and acts on what is genuine" in HABITS else 401
    try:
        event = json.loads(body)
    except ValueError:
        return 400
    if event.get("type") not in TYPES:
        return 204
    id, animal = headers["webhook-id"], event["animal"]
    with lock:
        is_known = event["id"] <= highest if "keeps the highest id" in HABITS else id in acted
        if is_known:
            return 204
        highest = max(highest, event["id"])
        acted.append(id)
        known = animals.get(animal["id"])
        if known is None or event["id"] > known["event"]:
            animals[animal["id"]] = {"status": animal["status"], "event": event["id"]}
    return 204


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        with lock:
            statuses = {str(id): animal["status"] for id, animal in animals.items()}
            shown = json.dumps({"acted": acted, "animals": statuses}).encode()
        self.respond(200, shown)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        self.respond(receive(body, self.headers), b"")

    def respond(self, status, body):
        try:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # The sender has gone.

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
