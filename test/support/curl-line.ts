/**
 * Sends the request of a line for curl that the program printed, on a machine that need not have curl. The suite `systems`
 * has curl itself run such lines.
 *
 * @throws Error if the line is anything but a URL and a header
 */
export async function sendCurlLine(line: string): Promise<Response> {
  const [, name, value, url] = /^curl -H '([\w-]+): ([^']+)' '([^']+)'$/.exec(line) ?? [];
  if (!name || !value || !url) throw new Error(`it is not a line for curl with one header: ${line}`);
  return await fetch(url, { headers: { [name]: value } });
}
