import { clientSample } from "./client.ts";
import { curlSample } from "./curl.ts";
import { goSample } from "./go.ts";
import { javascriptSample } from "./javascript.ts";
import { pythonSample } from "./python.ts";
import type { SampleRequest } from "./request.ts";

interface SampleLanguage {
  readonly id: string;
  readonly title: string;
  /** The name of the language for highlighting. */
  readonly syntax: string;
  write(request: SampleRequest): string;
}

/** The languages of the reference. Every sample reads the key from the environment variable `API_KEY`. */
export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = [
  { id: "curl", title: "curl", syntax: "bash", write: curlSample },
  { id: "javascript", title: "JavaScript", syntax: "js", write: javascriptSample },
  { id: "python", title: "Python", syntax: "py", write: pythonSample },
  { id: "go", title: "Go", syntax: "go", write: goSample },
  { id: "client", title: "TypeScript client", syntax: "ts", write: clientSample },
];
