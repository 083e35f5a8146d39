"""A sandbox of Animal Store for pytest: copy this file beside your tests. `animal-store` must be on the PATH.

A test that takes `animal_store` has a store of its own, so tests may run in any order and side by side.
"""

import json
import subprocess
import time
import urllib.request
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class AnimalStore:
    base_url: str
    api_key: str
    control_url: str

    def control(self, method, path, value=None):
        """Plans faults, sets the clock or reads the journal of this test's store: docs/guides/sandbox.md."""
        body = None if value is None else json.dumps(value).encode()
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        return call(urllib.request.Request(self.control_url + path, body, headers, method=method))


@pytest.fixture(scope="session")
def animal_store_sandbox(tmp_path_factory):
    """One sandbox for all tests: its address and keys, as `--ready-file` has them."""
    ready_file = tmp_path_factory.mktemp("animal-store") / "ready.json"
    # Its standard input ends with this process, even if that is killed.
    command = ["animal-store", "sandbox", "--port", "0", "--ready-file", str(ready_file), "--until-stdin-ends"]
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
    yield AnimalStore(animal_store_sandbox["baseUrl"], space["keys"][0]["key"], control_url)
    call(urllib.request.Request(f"{control_url}/spaces/{space['space']}", method="DELETE"))


def call(request):
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.loads(response.read() or "null")
