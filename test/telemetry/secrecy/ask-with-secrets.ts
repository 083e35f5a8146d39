import type { ServiceProcess } from "../../support/program.ts";
import type { Entrance, Secrets } from "./secrets.ts";

/** Sends a key that is a secret wherever a client can put one, and takes what comes back. */
export async function askWithSecrets({ address, key }: ServiceProcess, secrets: Secrets): Promise<void> {
  const ask = async (
    entrance: Entrance,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) => {
    const method = body === undefined ? "GET" : "POST";
    const response = await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body }),
    });
    const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
    secrets.takeResponse(entrance, text);
  };

  for (const scheme of ["Bearer ", "Basic ", ""]) {
    const authorization = scheme + secrets.of("`Authorization`");
    await ask("`Authorization`", "/v1/pets", { authorization });
  }
  const header = secrets.of("other headers");
  const animal = '{"name":"Rex","categoryId":1}';
  await ask("other headers", "/v1/pets", { "idempotency-key": `${header}, ${header}` }, animal);
  await ask("other headers", "/v1/pets", {
    "if-none-match": header,
    "x-forwarded-for": header,
    traceparent: header,
  });
  await ask(
    "other headers",
    "/v1/pets",
    { "content-type": header, cookie: header, "user-agent": header },
    "{}",
  );
  const path = secrets.of("path");
  for (const folder of ["/v1/pets/", "/v1/", "/v1/orders/", "/docs/", "/"]) await ask("path", folder + path);
  await ask("path", `/v1/pets/${path}${path}`);
  for (const name of ["limit", "cursor", "status", "sort", "key", "access_token"])
    await ask("query", `/v1/pets?${name}=${secrets.of("query")}`);
  const body = secrets.of("body");
  await ask("body", "/v1/pets", {}, `{"${body}":1,"${body}":`);
  await ask("body", "/v1/pets", {}, JSON.stringify({ name: body, categoryId: body, status: body }));
  await ask("body", "/v1/orders", {}, JSON.stringify({ petId: body }));
}
