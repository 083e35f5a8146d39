import { clientSample } from "./client.ts";
import { csharpSample } from "./csharp.ts";
import { curlSample } from "./curl.ts";
import { goSample } from "./go.ts";
import { javaSample } from "./java.ts";
import { javascriptSample } from "./javascript.ts";
import { phpSample } from "./php.ts";
import { pythonSample } from "./python.ts";
import type { SampleRequest } from "./request.ts";
import { rubySample } from "./ruby.ts";

export interface SampleLanguage {
  readonly id: string;
  readonly title: string;
  /** The name of the language at the head of a block in Markdown. */
  readonly fence: string;
  write(request: SampleRequest): string;
}

/** The languages of the reference. Every sample reads the key from the environment variable `API_KEY`. */
export const SAMPLE_LANGUAGES: readonly [SampleLanguage, ...SampleLanguage[]] = [
  { id: "curl", title: "curl", fence: "sh", write: curlSample },
  { id: "javascript", title: "JavaScript", fence: "js", write: javascriptSample },
  { id: "python", title: "Python", fence: "python", write: pythonSample },
  { id: "go", title: "Go", fence: "go", write: goSample },
  { id: "java", title: "Java", fence: "java", write: javaSample },
  { id: "php", title: "PHP", fence: "php", write: phpSample },
  { id: "ruby", title: "Ruby", fence: "ruby", write: rubySample },
  { id: "csharp", title: "C#", fence: "csharp", write: csharpSample },
  { id: "client", title: "TypeScript", fence: "ts", write: clientSample },
];

/** The page of a language has the samples of every operation. */
export function samplesPath({ id }: SampleLanguage): string {
  return `/docs/samples/${id}`;
}
