import { expect, test } from "bun:test";
import { PARAMETER_COMPONENTS } from "../../src/http/openapi/headers.ts";
import { sendRaw } from "../support/send-raw.ts";
import { startService } from "../support/service.ts";

test.each(Object.values(PARAMETER_COMPONENTS))(
  "the pattern of $name has exactly the values that are not refused",
  async ({ name, schema }) => {
    await using service = await startService();
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const statuses = bytes.map(async (byte) => {
      const head = `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${name}: a${String.fromCharCode(byte)}b\r\n\r\n`;
      return (await sendRaw(service.address, Buffer.from(head, "latin1"))).startsWith("HTTP/1.1 200");
    });
    const pattern = new RegExp(schema.pattern);
    const described = bytes.map((byte) => pattern.test(`a${String.fromCharCode(byte)}b`));
    expect(await Promise.all(statuses)).toEqual(described);
  },
);
