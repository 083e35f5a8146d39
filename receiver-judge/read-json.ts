/** What shows the acts of a run is far below this. */
const MAX_BYTES = 16 * 1024 * 1024;
const WITHIN_MS = 10_000;

/**
 * Reads JSON from an address.
 *
 * @param key an API key to send
 * @throws Error whose message says what was wrong
 */
export async function readJson(url: URL, key?: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    redirect: "manual",
    signal: AbortSignal.timeout(WITHIN_MS),
    // A proxy does not reach this machine. The runtime accepts `false`, which its types do not have.
    ...({ proxy: false } as RequestInit),
  }).catch((error) => {
    throw new Error(`it does not respond (${error.code ?? error.message})`, { cause: error });
  });
  if (response.status === 401 && key !== undefined)
    throw new Error("it does not know the key in API_KEY (401)");
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
