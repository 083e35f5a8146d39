import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { imitation } from "../imitation.ts";
import { startServerOnPort } from "../server.ts";
import type { Answer, Side, Start } from "../side.ts";

const PROGRAM = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });

/** Returns the same bytes from its configuration, as nginx does it fastest: one worker, no log, no file. */
export const nginx: Side = {
  name: "nginx",
  kind: "limit",
  likeness: "bytes",
  checksKeys: false,
  durable: false,
  unavailable: () =>
    PROGRAM ? undefined : "nginx is not installed (on Debian: apt-get install nginx-light)",
  async start({ folder, models }: Start) {
    mkdirSync(join(folder, "temporary"));
    const configuration = join(folder, "nginx.conf");
    const command = (port: number) => {
      writeFileSync(configuration, configurationFor(port, models[0] as Answer));
      return [PROGRAM as string, "-p", folder, "-c", configuration, "-e", "stderr"];
    };
    return imitation(await startServerOnPort(command, { folder }));
  },
};

function configurationFor(port: number, { status, headers, body }: Answer): string {
  const { "content-type": type = "", ...others } = headers;
  const fields = Object.entries(others).map(([name, value]) => `add_header ${name} ${quoted(value)} always;`);
  return `
daemon off;
master_process on;
worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  # Else it closes each connection after 1000 requests.
  keepalive_requests 1000000000;
  client_body_temp_path temporary;
  proxy_temp_path temporary;
  fastcgi_temp_path temporary;
  uwsgi_temp_path temporary;
  scgi_temp_path temporary;
  server {
    listen 127.0.0.1:${port};
    default_type ${quoted(type)};
    ${fields.join("\n    ")}
    location / { return ${status} ${quoted(body)}; }
  }
}
`;
}

/** @throws where a text holds what nginx would take for a variable: it has no way to write a dollar sign */
function quoted(text: string): string {
  if (text.includes("$")) throw new Error(`nginx cannot return a dollar sign: ${text}`);
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
