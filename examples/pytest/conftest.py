"""A sandbox of Animal Store for pytest: copy this file beside your tests. `animal-store` must be on the PATH.

A test that takes `animal_store` has a store of its own, so tests may run in any order and side by side.
"""

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from datetime import datetime

import pytest


@dataclass(frozen=True)
class AnimalStore:
    name: str
    base_url: str
    api_key: str
    """A key that may do everything."""
    keys: dict
    """All keys by their names, also those that are limited, expired and revoked: keys["revoked"]["key"]."""
    control_url: str

    def faults(self, *faults):
        """Plans these faults in place of all others: faults({"status": 503, "operation": "createPet", "count": 2})."""
        return self.control("PUT", "/faults", {"faults": faults})["faults"]

    def now(self):
        """The time of this store."""
        return time_of(self.control("GET", "/clock"))

    def set_clock(self, now):
        """Sets the clock, which runs on from there: set_clock("2030-12-05T00:00:00Z"), or a datetime with a time zone."""
        return self._change_clock({"now": now.isoformat() if isinstance(now, datetime) else now})

    def advance_clock(self, duration):
        """Advances the clock: advance_clock("25h")."""
        return self._change_clock({"advance": duration})

    def freeze_clock(self):
        """Lets the clock stand still, also when it is set or advanced."""
        return self._change_clock({"frozen": True})

    def reset_clock(self):
        """Returns to the real time."""
        self.control("DELETE", "/clock")

    def requests(self, **filters):
        """The requests that have all these values, oldest first: requests(operation="createPet", status=201)."""
        found = []
        while True:
            after = found[-1]["id"] if found else 0
            page = self._journal(filters, limit=1000, after=after)
            assert page["dropped"] == 0, f"the journal no longer has the first {page['dropped']} requests"
            found += page["requests"]
            if len(page["requests"]) == page["count"]:
                return found

    def expect_requests(self, count=None, **filters):
        """The same; fails unless there are `count`, or at least one, and shows those that come nearest."""
        found = self.requests(**filters)
        if bool(found) if count is None else len(found) == count:
            return found
        nearest = self._journal(filters, limit=0, nearest=3)["nearest"]
        lines = [f"expected {'some' if count is None else count} requests with {filters}, and there were {len(found)}"]
        lines += [f"  {line_of(each)}" for each in found]
        lines += ["these come nearest:"] if nearest else []
        lines += [f"  {line_of(each['request'])}, which has {each['differs']}" for each in nearest]
        pytest.fail("\n".join(lines))

    def deliver_to(self, url, **options):
        """Delivers each event from now on to this address, as a webhook; returns its secret, among others."""
        return self.control("POST", "/deliveries", {"url": url, **options})

    def deliveries(self, atLeast=0, **filters):
        """The deliveries that have all these values: deliveries(event="animal.created", atLeast=2) waits for two."""
        query = urllib.parse.urlencode({**filters, "atLeast": atLeast, "limit": 1000})
        page = self.control("GET", f"/deliveries?{query}")
        assert page["dropped"] == 0, f"the list no longer has the first {page['dropped']} deliveries"
        found = page["deliveries"]
        ended = sum(each["outcome"] is not None for each in found)
        if ended < atLeast:
            lines = [f"expected at least {atLeast} deliveries with {filters}, and {ended} had ended"]
            pytest.fail("\n".join(lines + [f"  {delivery_line_of(each)}" for each in found]))
        return found

    def reset(self):
        """Starts again with the first animals, orders and ids, the real time, no faults, an empty journal and no deliveries."""
        self.control("POST", "/reset")

    def control(self, method, path, value=None):
        """Any request of the control interface, for this test's store: docs/guides/sandbox.md."""
        body = None if value is None else json.dumps(value).encode()
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        return call(urllib.request.Request(self.control_url + path, body, headers, method=method))

    def _change_clock(self, change):
        return time_of(self.control("PUT", "/clock", change))

    def _journal(self, filters, **shown):
        return self.control("GET", "/requests?" + urllib.parse.urlencode({**filters, **shown}))


@pytest.fixture(scope="session")
def animal_store_sandbox(tmp_path_factory):
    """One sandbox for all tests: its address and keys, as `--ready-file` has them."""
    program = shutil.which("animal-store")
    if program is None:
        pytest.fail("animal-store is not on the PATH: install it, or add the folder that it is in", pytrace=False)
    ready_file = tmp_path_factory.mktemp("animal-store") / "ready.json"
    # Its standard input ends with this process, even if that is killed.
    command = [program, "sandbox", "--port", "0", "--ready-file", str(ready_file), "--until-stdin-ends"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            while not ready_file.exists():
                if process.poll() is not None:
                    raise RuntimeError(f"the sandbox ended with {process.returncode} before it was ready")
                time.sleep(0.02)
            yield json.loads(ready_file.read_text())
        finally:
            process.terminate()


@pytest.fixture
def animal_store(animal_store_sandbox):
    """A store with the 24 example animals that no other test sees."""
    control_url = animal_store_sandbox["control"]
    space = call(urllib.request.Request(f"{control_url}/spaces", method="POST"))
    name, keys = space["space"], space["keys"]
    by_name = {each["name"]: each for each in keys}
    yield AnimalStore(name, animal_store_sandbox["baseUrl"], keys[0]["key"], by_name, control_url)
    call(urllib.request.Request(f"{control_url}/spaces/{name}", method="DELETE"))


def time_of(clock):
    # Python before 3.11 reads no Z.
    return datetime.fromisoformat(clock["now"].replace("Z", "+00:00"))


def line_of(request):
    answer = request["response"]["status"] if request["response"] else "no response"
    return f"#{request['id']} {request['method']} {request['target']} got {answer}{fault_of(request)}"


def delivery_line_of(delivery):
    result = delivery["response"]["status"] if delivery["response"] else delivery["error"] or "no response yet"
    attempt = f"attempt {delivery['attempt']}{fault_of(delivery)}"
    return f"#{delivery['id']} {delivery['event']} {delivery['eventId']}, {attempt}: {result}"


def fault_of(met):
    return f" with the fault {met['fault']['fault']}" if met["fault"] else ""


def call(request):
    try:
        with urllib.request.urlopen(request, timeout=70) as response:
            return json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        with error:
            pytest.fail(f"the sandbox refused this: {json.load(error)['message']}", pytrace=False)
