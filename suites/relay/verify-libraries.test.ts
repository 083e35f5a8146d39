import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FLAWS, flawed } from "../../relay/flawed.ts";
import { messageOf } from "../../relay/message.ts";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { wireOf } from "../../relay/wire.ts";
import { SECRET } from "../../test/relay/receiver.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { jarOf, pythonWith } from "../clients/tools.ts";

// What a relay sends, read by the libraries that the authors of Standard Webhooks publish for other languages; test/relay/
// has that for JavaScript.

/** Reads deliveries from files, `0.headers` and `0.body` at first, and prints for each whether the library accepts it. */
interface Reader {
  readonly files: Readonly<Record<string, string>>;
  command(): string[] | Promise<string[]>;
}

const READERS: Readonly<Record<string, Reader>> = {
  Python: {
    files: {
      "main.py": `import json, pathlib, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

def is_accepted(body):
    lines = body.with_suffix(".headers").read_text().splitlines()
    try:
        Webhook(sys.argv[1]).verify(body.read_bytes(), dict(line.split(": ", 1) for line in lines))
        return True
    except WebhookVerificationError:
        return False

bodies = sorted(pathlib.Path(".").glob("*.body"))
print(json.dumps([is_accepted(body) for body in bodies]))
`,
    },
    command: async () => [await pythonWith("standardwebhooks==1.1.0"), "main.py"],
  },
  Java: {
    files: {
      "Main.java": `import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.nio.file.*;
import java.util.*;

class Main {
  public static void main(String[] arguments) throws Exception {
    var accepted = new ArrayList<Boolean>();
    for (int at = 0; Files.exists(Path.of(at + ".body")); at++) {
      var headers = new HashMap<String, List<String>>();
      for (String line : Files.readAllLines(Path.of(at + ".headers"))) {
        var header = line.split(": ", 2);
        headers.put(header[0], List.of(header[1]));
      }
      try {
        new Webhook(arguments[0]).verify(Files.readString(Path.of(at + ".body")), headers);
        accepted.add(true);
      } catch (WebhookVerificationException refused) {
        accepted.add(false);
      }
    }
    System.out.println(accepted);
  }
}
`,
    },
    command: async () => [
      requiredProgram("java", "default-jdk-headless"),
      "-cp",
      await jarOf("com.standardwebhooks", "standardwebhooks", "1.1.0"),
      "Main.java",
    ],
  },
};

const [secret, other] = [SECRET, `whsec_${Buffer.alloc(32, 7).toString("base64")}`].flatMap(
  (text) => readSecrets(text) as Secret[],
) as [Secret, Secret];

const message = messageOf({
  id: 7n,
  type: "animal.created",
  at: "2026-11-27T09:30:00.000Z",
  animal: { id: 9_223_372_036_854_775_807n, name: "Größe 🐕", categoryId: -1n, status: "available" },
});

/** Deliveries, and whether they are to be accepted. */
function deliveries() {
  const sent = (secrets: readonly Secret[]) => wireOf(message, { secrets, now: Date.now(), agent: "relay" });
  const keys = { secrets: [secret], formerSecret: other };
  return [
    { name: "true", wire: sent([secret]), isTrue: true },
    { name: "signed with both secrets of a rotation", wire: sent([other, secret]), isTrue: true },
    ...FLAWS.map((flaw) => ({ name: flaw, wire: flawed(sent([secret]), flaw, keys), isTrue: false })),
  ];
}

test.each(Object.entries(READERS))(
  "the library of Standard Webhooks for %s accepts true deliveries, also during a rotation, and none with a flaw",
  async (_language, { files, command }) => {
    using folder = temporaryFolder();
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder.path, file), text);
    // Installing comes first: a delivery is true for five minutes.
    const reader = await command();
    const all = deliveries();
    for (const [at, { wire }] of all.entries()) {
      const lines = Object.entries(wire.headers).map(([name, value]) => `${name}: ${value}\n`);
      writeFileSync(join(folder.path, `${at}.headers`), lines.join(""));
      writeFileSync(join(folder.path, `${at}.body`), wire.body);
    }
    const { stdout } = await runCommand([...reader, SECRET], { cwd: folder.path });
    const accepted = JSON.parse(stdout) as boolean[];
    expect(all.map(({ name }, at) => [name, accepted[at]])).toEqual(
      all.map(({ name, isTrue }) => [name, isTrue]),
    );
  },
  LONG_RUN_MS,
);
