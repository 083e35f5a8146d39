import type { ApiDocument } from "../model/document.ts";
import { sampleRequest } from "../samples/request.ts";
import type { SampleLanguage } from "../samples/samples.ts";

/** The samples of every operation in one language. The reference loads it too, once a reader chooses the language. */
export function samplesMarkdown({ title, fence, write }: SampleLanguage, api: ApiDocument): string {
  return [
    `# Samples in ${title}`,
    "One program for each operation. Each reads the API key from the environment variable `API_KEY`.",
    ...api.operations.flatMap((operation) => [
      `## ${operation.summary}`,
      `Operation \`${operation.id}\`: \`${operation.method} ${operation.path}\``,
      `\`\`\`${fence}\n${write(sampleRequest(api, operation)).trimEnd()}\n\`\`\``,
    ]),
  ]
    .join("\n\n")
    .concat("\n");
}
