import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

/** For Java 17. The JDK has no JSON library, so a sample prints the JSON as it came, which keeps integers exact. */
export function javaSample(request: SampleRequest): string {
  const { isPaged, operation } = request;
  const imports = [
    "java.net.URI",
    "java.net.http.HttpClient",
    "java.net.http.HttpRequest",
    "java.net.http.HttpResponse",
    ...(takesIdempotencyKey(operation) ? ["java.util.UUID"] : []),
    ...(isPaged ? ["java.util.regex.Pattern"] : []),
  ];
  return `${imports.map((each) => `import ${each};`).join("\n")}

public class Sample {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
${isPaged ? listSample(request) : callSample(request)}  }
}
`;
}

function listSample({ url, headers, isFeed }: SampleRequest): string {
  return `    var nextLink = Pattern.compile("<([^>]+)>; rel=\\"next\\"");
    var url = URI.create(${javaString(url)});
    while (url != null) {
      var request = HttpRequest.newBuilder(url)
${headerLines(headers, "          ")}          .build();
${response("      ")}      System.out.println(response.body());
${isFeed ? '      if (response.body().equals("[]")) break; // No news yet: keep the url to ask again later.\n' : ""}      // Follow the link to the next page as it is.
      var next = nextLink.matcher(response.headers().firstValue("Link").orElse(""));
      url = next.find() ? url.resolve(next.group(1)) : null;
    }
`;
}

function callSample({ operation, method, url, headers, body }: SampleRequest): string {
  const publisher = body === undefined ? "noBody()" : `ofString(${javaString(body)})`;
  const key = takesIdempotencyKey(operation)
    ? `        // Keep this value, and send it again if no response comes.
        .header("Idempotency-Key", UUID.randomUUID().toString())
`
    : "";
  const verb =
    method === "GET" ? "" : `        .method("${method}", HttpRequest.BodyPublishers.${publisher})\n`;
  return `    var request = HttpRequest.newBuilder(URI.create(${javaString(url)}))
${headerLines(headers, "        ")}${key}${verb}        .build();
${response("    ")}    System.out.println(response.body());
`;
}

function headerLines(headers: SampleRequest["headers"], indent: string): string {
  return [
    `.header("Authorization", "Bearer " + System.getenv("API_KEY"))`,
    ...Object.entries(headers).map(([name, value]) => `.header(${javaString(name)}, ${javaString(value)})`),
  ]
    .map((line) => `${indent}${line}\n`)
    .join("");
}

function response(indent: string): string {
  return `var response = client.send(request, HttpResponse.BodyHandlers.ofString());
if (response.statusCode() >= 400) throw new RuntimeException(response.body());
`.replaceAll(/^(?=.)/gm, indent);
}

/** A literal for a text: a text block for several lines. */
function javaString(text: string): string {
  if (!text.includes("\n")) return JSON.stringify(text);
  const lines = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""').replaceAll("\n", "\n            ");
  return `"""\n            ${lines}"""`;
}
