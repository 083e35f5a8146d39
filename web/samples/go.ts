import type { Schema } from "../model/document.ts";
import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

export function goSample(request: SampleRequest): string {
  return request.isPaged ? listSample(request) : callSample(request);
}

function program(imports: readonly string[], { name, schema }: SampleRequest["item"], main: string): string {
  return `package main

import (
${imports.map((each) => `	"${each}"`).join("\n")}
)

type ${name} struct {
${structFields(schema)}
}

func main() {
${main}}
`;
}

/** A text that may be null is an empty one in Go. */
function goType({ type, items = {} }: Schema): string {
  if (type === "array") return `[]${goType(items)}`;
  return type === "integer" ? "int64" : type === "object" ? "json.RawMessage" : "string";
}

/** Aligned as gofmt does. */
function structFields({ properties = {} }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    tag: `\`json:"${name}"\``,
    name: name === "id" ? "ID" : name.replace(/Id$/, "ID").replace(/^./, (first) => first.toUpperCase()),
    type: goType(schema),
  }));
  const widest = (of: "name" | "type") => Math.max(...fields.map((field) => field[of].length));
  return fields
    .map(({ name, type, tag }) => `	${name.padEnd(widest("name"))} ${type.padEnd(widest("type"))} ${tag}`)
    .join("\n");
}

function listSample({ url, headers, item, isFeed }: SampleRequest): string {
  return program(
    ["encoding/json", "fmt", "io", "log", "net/http", "os", "regexp"],
    item,
    `	nextLink := regexp.MustCompile(\`<([^>]+)>; rel="next"\`)
	request, _ := http.NewRequest("GET", ${JSON.stringify(url)}, nil)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
${headerLines(headers)}	for {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			log.Fatalf("%s", body)
		}
		var items []${item.name}
		if err := json.Unmarshal(body, &items); err != nil {
			log.Fatal(err)
		}
		for _, item := range items {
			fmt.Printf("%+v\\n", item)
		}
${isFeed ? "\t\tif len(items) == 0 {\n\t\t\tbreak // No news yet: keep the URL to ask again later.\n\t\t}\n" : ""}		// Follow the link to the next page as it is.
		next := nextLink.FindStringSubmatch(response.Header.Get("Link"))
		if next == nil {
			break
		}
		request.URL, _ = request.URL.Parse(next[1])
	}
`,
  );
}

function callSample({ operation, method, url, headers, body, item }: SampleRequest): string {
  const hasKey = takesIdempotencyKey(operation);
  const imports = ["encoding/json", "fmt", "io", "log", "net/http", "os"];
  if (hasKey) imports.unshift("crypto/rand");
  if (body !== undefined) imports.push("strings");
  return program(
    imports,
    item,
    `${body === undefined ? "" : `	payload := strings.NewReader(${goString(body)})\n`}	request, _ := http.NewRequest("${method}", ${JSON.stringify(url)}, ${body === undefined ? "nil" : "payload"})
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
${headerLines(headers)}${
  hasKey
    ? `	// Keep this value, and send it again if no response comes.
	random := make([]byte, 16)
	rand.Read(random)
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", random))
`
    : ""
}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 400 {
		log.Fatalf("%s", answer)
	}
	var item ${item.name}
	if err := json.Unmarshal(answer, &item); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\\n", item)
`,
  );
}

function headerLines(headers: SampleRequest["headers"]): string {
  return Object.entries(headers)
    .map(([name, value]) => `	request.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`)
    .join("");
}

/** A literal for a text: as it stands, unless it holds the sign that ends such a literal. */
function goString(text: string): string {
  return text.includes("`") ? JSON.stringify(text) : `\`${text}\``;
}
