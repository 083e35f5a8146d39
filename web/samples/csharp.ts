import { type SampleRequest, takesIdempotencyKey } from "./request.ts";

/** A sample prints the JSON as it came, which keeps integers exact: .NET brings a JSON library, and Mono another. */
export function csharpSample(request: SampleRequest): string {
  const uses = [
    "System",
    "System.Net.Http",
    "System.Text",
    ...(request.isPaged ? ["System.Text.RegularExpressions"] : []),
    "System.Threading.Tasks",
  ].filter((name) => name !== "System.Text" || request.body !== undefined);
  return `${uses.map((each) => `using ${each};`).join("\n")}

static class Program
{
    static readonly HttpClient Http = new HttpClient();

    static void Main() => Run().GetAwaiter().GetResult();

    static async Task Run()
    {
        Http.DefaultRequestHeaders.Add("Authorization", "Bearer " + Environment.GetEnvironmentVariable("API_KEY"));
${request.isPaged ? listSample(request) : callSample(request)}    }
}
`;
}

function listSample({ url, headers, isFeed }: SampleRequest): string {
  return `        var url = new Uri(${csharpString(url)});
        while (url != null)
        {
            var request = new HttpRequestMessage(HttpMethod.Get, url);
${headerLines(headers, "            ")}${response("            ")}            Console.WriteLine(body);
${isFeed ? '            if (body == "[]") break; // No news yet: keep the url to ask again later.\n' : ""}            // Follow the link to the next page as it is.
            var links = response.Headers.Contains("Link") ? string.Join(", ", response.Headers.GetValues("Link")) : "";
            var next = Regex.Match(links, "<([^>]+)>; rel=\\"next\\"");
            url = next.Success ? new Uri(url, next.Groups[1].Value) : null;
        }
`;
}

function callSample({ operation, method, url, headers, body }: SampleRequest): string {
  const { "Content-Type": mediaType = "application/json", ...others } = headers;
  const key = takesIdempotencyKey(operation)
    ? `        // Keep this value, and send it again if no response comes.
        request.Headers.Add("Idempotency-Key", Guid.NewGuid().ToString());
`
    : "";
  const content =
    body === undefined
      ? ""
      : `        var json = ${csharpString(body)};
        request.Content = new StringContent(json, Encoding.UTF8, ${csharpString(mediaType)});
`;
  return `        var request = new HttpRequestMessage(new HttpMethod("${method}"), ${csharpString(url)});
${headerLines(others, "        ")}${key}${content}${response("        ")}        Console.WriteLine(body);
`;
}

/** `Add` would refuse values that HTTP allows and .NET parses differently. */
function headerLines(headers: SampleRequest["headers"], indent: string): string {
  return Object.entries(headers)
    .map(
      ([name, value]) =>
        `${indent}request.Headers.TryAddWithoutValidation(${csharpString(name)}, ${csharpString(value)});\n`,
    )
    .join("");
}

function response(indent: string): string {
  return `var response = await Http.SendAsync(request);
var body = await response.Content.ReadAsStringAsync();
if (!response.IsSuccessStatusCode) throw new Exception(body);
`.replaceAll(/^(?=.)/gm, indent);
}

/** A verbatim literal for several lines. */
function csharpString(text: string): string {
  return text.includes("\n") ? `@"${text.replaceAll('"', '""')}"` : JSON.stringify(text);
}
