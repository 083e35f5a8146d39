/** Common uses of each command, by its words, for the help. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "": [
    "animal-store                                    # serves ./data/animal-store.db on port 8080",
    "animal-store keys create --name 'web shop'",
    "animal-store verify",
  ],
  serve: [
    "animal-store serve --port 80 --host 0.0.0.0",
    "animal-store serve --database postgres://user:password@host/database",
    "animal-store serve --tls-cert cert.pem --tls-key key.pem --backup-every 1h --backup-dir ./backups",
  ],
  sandbox: [
    "animal-store sandbox                            # on port 8080; it prints its keys",
    "animal-store sandbox --port 0 --ready-file ./ready.json",
    "animal-store sandbox --fixtures animals.csv",
    "curl -X PUT -H 'Content-Type: application/json' http://127.0.0.1:8080/_sandbox/faults \\\n" +
      '      -d \'{"faults": [{"fault": "503", "operation": "listPets", "count": 2}]}\'',
  ],
  "sandbox judge": [
    "animal-store sandbox judge -- node client.mjs",
    "animal-store sandbox judge --threshold 80 --junit client.xml -- npm test",
  ],
  "sandbox judge-receiver": [
    "animal-store sandbox judge-receiver http://127.0.0.1:3000/hooks --secret-file secret",
    "animal-store sandbox judge-receiver https://shop.example.com/hooks --secret-file secret \\\n" +
      "      --probe https://shop.example.com/hooks/acted --junit receiver.xml",
  ],
  ready: ["animal-store ready --port 8080"],
  keys: ["animal-store keys list"],
  "keys create": [
    "animal-store keys create --name 'web shop'",
    "animal-store keys create --name reports --scopes pets:read --expires 90d",
    "animal-store keys create --name tests --environment staging --json",
  ],
  "keys list": ["animal-store keys list", "animal-store keys list --json"],
  "keys revoke": ["animal-store keys revoke 2"],
  "keys rotate": ["animal-store keys rotate 2 --grace 1d"],
  animals: ["animal-store animals set 7 --status sold"],
  "animals set": [
    "animal-store animals set 7 --status sold",
    "animal-store animals set 7 8 9 --name Rex --category-id 3",
  ],
  "animals remove": ["animal-store animals remove 7"],
  "animals log": ["animal-store animals log", "animal-store animals log 7 --last 10 --json"],
  backup: ["animal-store backup ./animals.bak", "animal-store backup ./animals.bak --force"],
  restore: [
    "animal-store restore ./animals.bak --force",
    "animal-store restore ./animals.bak --ids-from 5000",
  ],
  import: [
    "animal-store import animals.csv --dry-run",
    "animal-store import animals.csv --skip-bad rejects.txt",
    "curl … | animal-store import - --format json --ids new",
    "animal-store import orders.csv --orders",
  ],
  export: [
    "animal-store export animals.csv",
    "animal-store export orders.csv --orders",
    "animal-store export - --format ndjson | head -1",
  ],
  copy: ["animal-store copy --from sqlite:./data/animal-store.db --to postgres://user@host/database"],
  seed: ["animal-store seed --count 1000"],
  events: ["animal-store events", "animal-store events --off"],
  upgrade: ["animal-store upgrade --check", "animal-store upgrade --check --json"],
  migrate: ["animal-store migrate --check", "animal-store migrate --database postgres://owner@host/database"],
  openapi: ["animal-store openapi > openapi.json", "animal-store openapi --yaml --stability beta"],
  config: ["animal-store config", "animal-store config --port 80 --json"],
  verify: [
    "animal-store verify --database sqlite:/var/lib/animal-store",
    "animal-store verify --only kill,model --minutes 10",
    "animal-store verify --url https://animals.example.com/v1 --key as_live_…",
  ],
  relay: [
    "animal-store relay --from https://animals.example.com/v1 --to https://shop.example.com/hooks \\\n" +
      "      --secret-file secret --position position.json",
    "animal-store relay --from http://127.0.0.1:8080/v1 --to http://127.0.0.1:3000/ --allow-private \\\n" +
      "      --secret-file secret --position position.json --from-now",
  ],
  mcp: [
    "API_KEY=as_live_… animal-store mcp --url https://animals.example.com/v1 --read-only",
    "API_KEY=as_test_… ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 animal-store mcp",
  ],
  completion: [
    "source <(animal-store completion bash)          # in ~/.bashrc",
    "source <(animal-store completion zsh)           # in ~/.zshrc, after compinit",
    "animal-store completion fish > ~/.config/fish/completions/animal-store.fish",
  ],
};
