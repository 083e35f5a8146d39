import http.client
import json
import urllib.request


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
