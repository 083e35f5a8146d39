#!/bin/sh
# Animal Store with curl: create and order with a safe retry, list all pages, handle an error.
#
#   ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… sh animals.sh
#
# int64: curl and the shell move text, so no digit changes. jq before version 1.7 rounds integers past 2^53.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# call ARGUMENT…: prints the status, and leaves the response in the files headers and body. curl repeats the request after
# lost connections and after 408, 429, 502, 503 and 504, with growing pauses, and obeys Retry-After.
call() {
  curl --silent --show-error --max-time 30 --retry 4 --retry-all-errors \
    --header "Authorization: Bearer $API_KEY" \
    --dump-header "$scratch/headers" --output "$scratch/body" --write-out '%{http_code}' "$@" 2>"$scratch/errors" ||
    { cat "$scratch/errors" >&2; return 1; }
}

# member NAME: its value in the body, for members that are numbers or codes.
member() { sed -n "s/^.*\"$1\":\"\{0,1\}\([^,\"}]*\).*$/\1/p" "$scratch/body"; }

# create PATH BODY: one key per animal or order, made before the first attempt, so that repeating it adds nothing.
create() {
  key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  call "$ANIMAL_STORE_URL$1" --header 'Content-Type: application/json' --header "Idempotency-Key: $key" --data "$2"
}

expect() { [ "$1" = "$status" ] || { echo "$status: $(cat "$scratch/body")" >&2; exit 1; }; }

status=$(create /pets '{"name": "Rex", "categoryId": 9223372036854775807}')
expect 201
rex=$(member id)
echo "created $rex with category $(member categoryId)"

# An order has a key of its own. Its status may be sent again without one: the second time nothing changes.
status=$(create /orders "{\"petId\": $rex}")
expect 201
placed=$(member status)
status=$(call "$ANIMAL_STORE_URL/orders/$(member id)" --request PATCH --header 'Content-Type: application/json' \
  --data '{"status": "cancelled"}')
expect 200
echo "ordered $(member petId): $placed, then $(member status)"

# The address of the next page is in the Link header, relative to the host.
origin=$(echo "$ANIMAL_STORE_URL" | sed 's,^\([a-z]*://[^/]*\).*$,\1,')
url="$ANIMAL_STORE_URL/pets?limit=2"
listed=0
while [ -n "$url" ]; do
  status=$(call "$url")
  expect 200
  listed=$((listed + $(grep -o '"id":' "$scratch/body" | wc -l)))
  next=$(tr -d '\r' <"$scratch/headers" | sed -n 's/^[Ll]ink:.*<\([^>]*\)>; rel="next".*$/\1/p')
  url=${next:+$origin$next}
done
echo "listed $listed"

# The code is what to branch on; the message is for people.
status=$(create /pets '{"name": "", "categoryId": 1}')
expect 400
echo "refused with $(member code)"
