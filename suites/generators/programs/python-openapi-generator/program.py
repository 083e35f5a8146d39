import os
import re

from animals import AnimalInput, AnimalsApi, ApiClient, ApiException, Configuration, Error


def connect(key: str) -> AnimalsApi:
    configuration = Configuration(host=os.environ["ANIMAL_STORE_URL"], access_token=key)
    return AnimalsApi(ApiClient(configuration))


def names(api: AnimalsApi) -> list[str]:
    found: list[str] = []
    cursor = None
    while True:
        page = api.list_pets_with_http_info(limit=2, cursor=cursor)
        found += [animal.name for animal in page.data]
        link = re.search(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"', (page.headers or {}).get("Link", ""))
        if link is None:
            return found
        cursor = link[1]


def refused(what: str, api: AnimalsApi, call: str, *arguments: object) -> None:
    try:
        getattr(api, call)(*arguments)
    except ApiException as error:
        assert isinstance(error.data, Error)
        print(what, error.status, error.data.code)


api = connect(os.environ["API_KEY"])
created = api.create_pet(AnimalInput(name="Rex", categoryId=2**63 - 1))
print("created", created.category_id)
print("got", api.get_pet(created.id).category_id)
print("listed", ",".join(names(api)))
refused("unauthorized", connect("wrong"), "list_pets")
refused("unknown", api, "get_pet", 4242)
# White space that only Unicode knows: the pattern lets it pass, the service does not.
refused("invalid", api, "create_pet", AnimalInput(name="\u2003", categoryId=1))
