import { afterAll, beforeAll, test } from "bun:test";
import { buildClient } from "../../scripts/client/build.ts";
import { operationsOffered } from "../../src/operations/catalogue.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requiredProgram, requirePrograms } from "../../test/support/installed-programs.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { expectSamplesToWork, nodeRunners, type SampleRunner } from "../../test/support/samples.ts";
import { startService } from "../../test/support/service.ts";
import { shareOf } from "../share.ts";

const client = temporaryFolder();
beforeAll(() => buildClient(client.path));
afterAll(() => client[Symbol.dispose]());

const RUNNERS: Readonly<Record<string, SampleRunner>> = {
  ...nodeRunners(requiredProgram("node"), client.path),
  curl: {
    file: "sample.sh",
    command: (file) => {
      requirePrograms({ curl: "curl" });
      return [requiredProgram("sh"), file];
    },
    followsLinks: false,
  },
  python: { file: "sample.py", command: (file) => [requiredProgram("python3"), file], followsLinks: true },
  go: { file: "sample.go", command: (file) => [go(), "run", file], followsLinks: true },
  java: {
    file: "Sample.java",
    command: (file) => [requiredProgram("java", "default-jdk-headless"), "-XX:TieredStopAtLevel=1", file],
    followsLinks: true,
  },
  php: {
    file: "sample.php",
    command: (file) => [requiredProgram("php", "php-cli"), file],
    followsLinks: true,
  },
  ruby: { file: "sample.rb", command: (file) => [requiredProgram("ruby"), file], followsLinks: true },
  csharp: {
    file: "Sample.cs",
    command: (file) => {
      const compile = `${requiredProgram("mcs", "mono-mcs")} -langversion:latest -r:System.Net.Http.dll ${file}`;
      return [
        requiredProgram("sh"),
        "-c",
        `${compile} && ${requiredProgram("mono", "mono-runtime")} Sample.exe`,
      ];
    },
    followsLinks: true,
  },
};

for (const [language, runner] of shareOf(Object.entries(RUNNERS), "languages of samples")) {
  test(
    `the reference's samples in ${language} work as they stand there`,
    async () => {
      await using service = await startService({ operations: operationsOffered("experimental") });
      await expectSamplesToWork(service, language, runner);
    },
    LONG_RUN_MS,
  );
}

/** Debian's Go is too old for what other suites do with a `go` on the path, so it is kept off it. */
function go(): string {
  return Bun.which("go") ?? requiredProgram("/usr/lib/go-1.19/bin/go", "golang-1.19-go");
}
