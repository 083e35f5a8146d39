import base64
import hmac
import http.client
import http.server
import json
import threading
import time
import urllib.error
import urllib.request
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest


def add(store, name, key):
    """Stands for your client."""
    headers = {"Authorization": f"Bearer {store.api_key}", "Content-Type": "application/json", "Idempotency-Key": key}
    body = json.dumps({"name": name, "categoryId": 1}).encode()
    request = urllib.request.Request(f"{store.base_url}/pets", body, headers)
    for is_last in (False, True):
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.load(response)["id"]
        except (OSError, http.client.HTTPException):
            if is_last:
                raise


def test_adds_an_animal(animal_store):
    assert add(animal_store, "Rex", "rex-1") == 25


def test_adds_it_once_when_the_response_is_lost(animal_store):
    animal_store.faults({"fault": "lost", "operation": "createPet", "count": 1})
    # The id is 25 in both tests: each has a store of its own.
    assert add(animal_store, "Rex", "rex-1") == 25
    animal_store.expect_requests(2, operation="createPet", idempotencyKey="rex-1")


def test_adds_a_second_animal_when_its_key_is_forgotten(animal_store):
    assert add(animal_store, "Rex", "rex-1") == 25
    animal_store.advance_clock("25h")
    assert add(animal_store, "Rex", "rex-1") == 26


def test_has_keys_that_are_refused(animal_store):
    revoked = replace(animal_store, api_key=animal_store.keys["revoked"]["key"])
    with pytest.raises(urllib.error.HTTPError, match="401"):
        add(revoked, "Rex", "rex-1")


def test_says_no_to_one_animal_and_not_to_others(animal_store):
    animal_store.faults({"status": 409, "operation": "placeOrder"}, {"status": 403, "body": {"name": "Rex"}})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        add(animal_store, "Rex", "rex-1")
    assert add(animal_store, "Luna", "luna-1") == 25


def test_stands_still_at_a_time_and_starts_again(animal_store):
    animal_store.freeze_clock()
    removal = datetime(2030, 12, 5, tzinfo=timezone.utc)
    assert animal_store.set_clock(removal) == animal_store.now() == removal
    assert animal_store.advance_clock("1s") == removal + timedelta(seconds=1)
    animal_store.reset_clock()
    assert animal_store.now() < removal
    add(animal_store, "Rex", "rex-1")
    animal_store.reset()
    assert add(animal_store, "Rex", "rex-2") == 25


class Receiver(http.server.BaseHTTPRequestHandler):
    """Stands for your receiver of webhooks."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        is_genuine = self.is_genuine(body)
        if is_genuine:
            self.server.names.append(json.loads(body)["animal"]["name"])
        self.send_response(204 if is_genuine else 400)
        self.end_headers()

    def is_genuine(self, body):
        timestamp = self.headers["webhook-timestamp"]
        key = base64.b64decode(self.server.secret[len("whsec_"):])
        content = f"{self.headers['webhook-id']}.{timestamp}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()
        is_recent = abs(time.time() - int(timestamp)) <= 300
        return is_recent and expected in self.headers["webhook-signature"].split(" ")


def test_the_receiver_refuses_what_it_must_not_believe(animal_store):
    with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        receiver.names = []
        receiver.secret = animal_store.deliver_to(f"http://127.0.0.1:{receiver.server_port}/hooks")["secret"]
        animal_store.faults({"fault": "delivery_old_timestamp", "event": "animal.created", "count": 1})
        add(animal_store, "Rex", "rex-1")
        # The true delivery follows the one that was refused.
        refused, accepted = animal_store.deliveries(event="animal.created", atLeast=2)
        assert [refused["response"]["status"], accepted["response"]["status"]] == [400, 204]
        assert receiver.names == ["Rex"]
        receiver.shutdown()
