"""Animal Store with Python's standard library: create and order with a safe retry, list all pages, read the feed, handle an error.

    ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… python3 animals.py

int64: exact. Python's int has no bound, and json reads and writes it digit by digit.
"""

import http.client
import json
import os
import random
import re
import time
import urllib.error
import urllib.request
import uuid
from urllib.parse import urljoin

URL = os.environ["ANIMAL_STORE_URL"]
KEY = os.environ["API_KEY"]
RETRYABLE = {408, 429, 502, 503, 504}
ATTEMPTS = 5


class Refused(Exception):
    """The service's Error: `code` is what to branch on. The page of a proxy is no Error, and has no code."""

    def __init__(self, response):
        try:
            error = json.load(response)
        except ValueError:
            error = {"message": f"{response.code} from something other than the service"}
        super().__init__(f"{error.get('message')} (request {response.headers['X-Request-Id']})")
        self.code = error.get("code")


def call(url, value=None, headers={}, method=None):
    """Sends a request, repeats it after failures that may pass, and returns the value and the address of the next page."""
    body = None if value is None else json.dumps(value).encode()
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {KEY}", **headers}, method=method)
    if body:
        request.add_header("Content-Type", "application/json")
    for attempt in range(1, ATTEMPTS + 1):
        pause = random.uniform(0.5, 1) * 0.2 * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                link = re.search(r'<([^>]*)>; rel="next"', response.headers.get("Link", ""))
                return json.load(response), link and urljoin(url, link[1])
        except urllib.error.HTTPError as error:
            if error.code not in RETRYABLE or attempt == ATTEMPTS:
                raise Refused(error) from None
            pause += int(error.headers.get("Retry-After", 0))
        except (OSError, http.client.HTTPException):
            # No response: whether the service did it is not known.
            if attempt == ATTEMPTS:
                raise
        time.sleep(pause)


def create(path, value):
    # One key per animal or order, made before the first attempt: repeating the request then adds nothing.
    return call(URL + path, value, {"Idempotency-Key": str(uuid.uuid4())})[0]


def update_order(order, status):
    # It needs no key: if the order already has the status, nothing changes.
    return call(f"{URL}/orders/{order['id']}", {"status": status}, method="PATCH")[0]


def items(url):
    """Each item of a list or of the feed. The feed's last page is empty; its link is where to ask again later."""
    page = True
    while page and url:
        page, url = call(url)
        yield from page


rex = create("/pets", {"name": "Rex", "categoryId": 9223372036854775807})
print("created", rex["id"], "with category", rex["categoryId"])
order = create("/orders", {"petId": rex["id"]})
cancelled = update_order(order, "cancelled")
print(f"ordered {order['petId']}: {order['status']}, then {cancelled['status']}")
print("listed", sum(1 for _ in items(f"{URL}/pets?limit=2")))
try:
    for event in items(f"{URL}/events?type=animal.created"):
        if event["animal"]["id"] == rex["id"]:
            print("event of", rex["id"], "with category", event["animal"]["categoryId"])
except Refused as refused:
    # The feed is experimental, and few services offer it.
    print("no feed:", refused.code)
try:
    create("/pets", {"name": "", "categoryId": 1})
except Refused as refused:
    print("refused with", refused.code)
