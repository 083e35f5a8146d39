/** What shows the acts of a run is far below this. */
const MAX_BYTES = 16 * 1024 * 1024;
const WITHIN_MS = 10_000;

/** Reads JSON from an address. @throws Error whose message says what was wrong */
export async function readJson(url: URL): Promise<unknown> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const response = await fetch(url, { redirect: "manual", signal }).catch((error) => {
    throw new Error(`it does not respond (${error.code ?? error.message})`, { cause: error });
  });
  if (!response.ok) throw new Error(`it responded with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of response.body ?? []) {
    received += chunk.length;
    if (received > MAX_BYTES) throw new Error(`its response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Error("its response is no JSON");
  }
}
