import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSecrets, type Secret } from "../../relay/secrets.ts";
import { sign } from "../../relay/signature.ts";
import { SECRET } from "../../test/relay/receiver.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram } from "../../test/support/installed-programs.ts";
import { runCommand } from "../../test/support/run-command.ts";

const GUIDE = readFileSync(join(import.meta.dir, "../../docs/guides/webhooks.md"), "utf8");

/** How a sample of the guide is run: with a program next to it that says whether a delivery is genuine. */
interface Runner {
  readonly file: string;
  readonly program: string;
  /** It takes the body's file, the id, the timestamp, the signatures and the secret as arguments. */
  readonly text: string;
  readonly compile?: () => readonly string[];
  readonly run: () => readonly string[];
}

const java = (program: string) => requiredProgram(program, "default-jdk-headless");
/** Debian's Go is kept off the path, since it is too old for other suites. */
const go = () => Bun.which("go") ?? requiredProgram("/usr/lib/go-1.19/bin/go", "golang-1.19-go");

const RUNNERS: Readonly<Record<string, Runner>> = {
  js: {
    file: "webhooks.mjs",
    program: "main.mjs",
    text: `import { readFileSync } from "node:fs";
import { isGenuine } from "./webhooks.mjs";
const [body, ...rest] = process.argv.slice(2);
console.log(isGenuine(readFileSync(body), ...rest));`,
    run: () => [requiredProgram("node"), "main.mjs"],
  },
  python: {
    file: "webhooks.py",
    program: "main.py",
    text: `import sys
from webhooks import is_genuine
print(str(is_genuine(open(sys.argv[1], "rb").read(), *sys.argv[2:])).lower())`,
    run: () => [requiredProgram("python3"), "main.py"],
  },
  go: {
    file: "webhooks.go",
    program: "main.go",
    text: `package main
import ("fmt"; "os")
func main() {
  body, _ := os.ReadFile(os.Args[1])
  fmt.Println(isGenuine(body, os.Args[2], os.Args[3], os.Args[4], os.Args[5]))
}`,
    compile: () => [go(), "build", "-o", "program", "webhooks.go", "main.go"],
    run: () => ["./program"],
  },
  java: {
    file: "Webhooks.java",
    program: "Main.java",
    text: `import java.nio.file.*;
class Main {
  public static void main(String[] a) throws Exception {
    System.out.println(Webhooks.isGenuine(Files.readAllBytes(Path.of(a[0])), a[1], a[2], a[3], a[4]));
  }
}`,
    compile: () => [java("javac"), "Webhooks.java", "Main.java"],
    run: () => [java("java"), "-XX:TieredStopAtLevel=1", "Main"],
  },
  php: {
    file: "webhooks.php",
    program: "main.php",
    text: `<?php require "webhooks.php";
echo json_encode(is_genuine(file_get_contents($argv[1]), ...array_slice($argv, 2)));`,
    run: () => [requiredProgram("php", "php-cli"), "main.php"],
  },
  ruby: {
    file: "webhooks.rb",
    program: "main.rb",
    text: `require_relative "webhooks"
puts genuine?(File.binread(ARGV[0]), *ARGV[1..])`,
    run: () => [requiredProgram("ruby"), "main.rb"],
  },
  csharp: {
    file: "Webhooks.cs",
    program: "Main.cs",
    text: `static class Program {
  static void Main(string[] a) {
    System.Console.WriteLine(Webhooks.IsGenuine(System.IO.File.ReadAllBytes(a[0]), a[1], a[2], a[3], a[4]).ToString().ToLower());
  }
}`,
    compile: () => [
      requiredProgram("mcs", "mono-mcs"),
      "-langversion:latest",
      "-out:program.exe",
      "Webhooks.cs",
      "Main.cs",
    ],
    run: () => [requiredProgram("mono", "mono-runtime"), "program.exe"],
  },
};

const ID = "evt_7_0f5b1c38a4d2e6907b1f";
const BODY = '{"id":9223372036854775807,"name":"Größe 🐕"}';
const OTHER_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

function signatures(secrets: string, timestamp: number): string {
  return sign({ id: ID, timestamp, body: BODY }, readSecrets(secrets) as Secret[]);
}

for (const [language, { file, program, text, compile, run }] of Object.entries(RUNNERS)) {
  test(`the guide's check of a signature in ${language} accepts what is genuine and nothing else`, async () => {
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { GO111MODULE: "off" } };
    const [, sample = ""] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(GUIDE) ?? [];
    writeFileSync(join(folder.path, file), sample);
    writeFileSync(join(folder.path, program), text);
    writeFileSync(join(folder.path, "body"), BODY);
    writeFileSync(join(folder.path, "other"), BODY.replace("Größe", "Groesse"));
    if (compile) await runCommand(compile(), options);
    const judge = async (body: string, timestamp: number | string, signature: string) =>
      (await runCommand([...run(), body, ID, `${timestamp}`, signature, SECRET], options)).stdout.trim();
    const now = Math.floor(Date.now() / 1000);
    expect(await judge("body", now, signatures(SECRET, now))).toBe("true");
    expect(await judge("body", now, signatures(`${OTHER_SECRET} ${SECRET}`, now))).toBe("true");
    expect(await judge("body", now, signatures(OTHER_SECRET, now))).toBe("false");
    expect(await judge("other", now, signatures(SECRET, now))).toBe("false");
    expect(await judge("body", now - 1000, signatures(SECRET, now))).toBe("false");
    expect(await judge("body", now - 1000, signatures(SECRET, now - 1000))).toBe("false");
    expect(await judge("body", now + 1000, signatures(SECRET, now + 1000))).toBe("false");
    expect(await judge("body", "soon", signatures(SECRET, now))).toBe("false");
  });
}
