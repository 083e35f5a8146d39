"""Animal Store with Python's standard library: create with a safe retry, list all pages, handle an error.

    ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 ANIMAL_STORE_KEY=as_live_… python3 animals.py

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
KEY = os.environ["ANIMAL_STORE_KEY"]
RETRYABLE = {408, 429, 502, 503, 504}
ATTEMPTS = 5


class Refused(Exception):
    """The service's Error: `code` is what to branch on."""

    def __init__(self, error, request_id):
        super().__init__(f"{error['message']} (request {request_id})")
        self.code = error["code"]


def call(url, body=None, headers={}):
    """Sends a request, again after failures that may pass, and returns the value and the address of the next page."""
    request = urllib.request.Request(url, data=body, headers={"Authorization": f"Bearer {KEY}", **headers})
    for attempt in range(1, ATTEMPTS + 1):
        pause = random.uniform(0.5, 1) * 0.2 * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                link = re.search(r'<([^>]*)>; rel="next"', response.headers.get("Link", ""))
                return json.load(response), link and urljoin(url, link[1])
        except urllib.error.HTTPError as error:
            if error.code not in RETRYABLE or attempt == ATTEMPTS:
                raise Refused(json.load(error), error.headers["X-Request-Id"]) from None
            pause += int(error.headers.get("Retry-After", 0))
        except (OSError, http.client.HTTPException):
            # No response: whether the service did it is not known.
            if attempt == ATTEMPTS:
                raise
        time.sleep(pause)


def create(animal):
    # One key for one animal, made before the first attempt: a repetition then adds no second animal.
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    return call(f"{URL}/pets", json.dumps(animal).encode(), headers)[0]


def all_animals():
    url = f"{URL}/pets?limit=2"
    while url:
        page, url = call(url)
        yield from page


rex = create({"name": "Rex", "categoryId": 9223372036854775807})
print("created", rex["id"], "with category", rex["categoryId"])
print("listed", sum(1 for _ in all_animals()))
try:
    create({"name": "", "categoryId": 1})
except Refused as refused:
    print("refused with", refused.code)
