import os
import re

from animals import AuthenticatedClient
from animals.api.animals import create_pet, get_pet, list_pets
from animals.models import Animal, AnimalInput, Error
from animals.types import UNSET, Unset


def connect(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["ANIMAL_STORE_URL"], token=key)


def names(client: AuthenticatedClient) -> list[str]:
    found: list[str] = []
    cursor: str | Unset = UNSET
    while True:
        page = list_pets.sync_detailed(client=client, limit=2, cursor=cursor)
        assert isinstance(page.parsed, list)
        found += [animal.name for animal in page.parsed]
        link = re.search(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"', page.headers.get("Link", ""))
        if link is None:
            return found
        cursor = link[1]


def refused(what: str, answer: object) -> None:
    assert isinstance(answer, Error)
    print(what, answer.status, answer.code)


client = connect(os.environ["API_KEY"])
created = create_pet.sync(client=client, body=AnimalInput(name="Rex", category_id=2**63 - 1))
assert isinstance(created, Animal)
print("created", created.category_id)
got = get_pet.sync(created.id, client=client)
assert isinstance(got, Animal)
print("got", got.category_id)
print("listed", ",".join(names(client)))
refused("unauthorized", list_pets.sync(client=connect("wrong")))
refused("unknown", get_pet.sync(4242, client=client))
# White space that only Unicode knows: the pattern lets it pass, the service does not.
refused("invalid", create_pet.sync(client=client, body=AnimalInput(name="\u2003", category_id=1)))
