# A script with curl, which repeats by --retry. One Idempotency-Key goes with all attempts of one create.
set -eu

call() {
  curl --silent --show-error --fail-with-body --retry 5 --header "Authorization: Bearer $API_KEY" "$@"
}

page=$(mktemp)
trap 'rm "$page"' EXIT
url="$ANIMAL_STORE_URL/pets?limit=10"
while [ -n "$url" ]; do
  # A file, since curl cannot empty /dev/null before it tries again.
  next=$(call --output "$page" --write-out '%header{link}' "$url" | sed -n 's/.*<\([^>]*\)>; rel="next".*/\1/p')
  url=${next:+${ANIMAL_STORE_URL%/v1}$next}
  found=$(sed -n 's/.*"name":"Max","categoryId":\([0-9]*\).*/\1/p' "$page")
  category=${found:-${category-}}
done

key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
twin=$(call --header 'Content-Type: application/json' --header "Idempotency-Key: $key" \
  --data "{\"name\": \"Twin\", \"categoryId\": $category}" "$ANIMAL_STORE_URL/pets")
id=$(echo "$twin" | sed 's/.*"id":\([0-9]*\).*/\1/')
call "$ANIMAL_STORE_URL/pets/$id"
call --header 'Content-Type: application/json' --header "Idempotency-Key: $key-2" \
  --data '{"name": "", "categoryId": 1}' "$ANIMAL_STORE_URL/pets" || true
