import { expect, test } from "bun:test";
import { exemptThisMachine } from "../../src/config/no-proxy.ts";

const THIS_MACHINE = "localhost,127.0.0.1,::1,[::1]";

// What a command and the programs that it starts are given for what the environment says.
test.each([
  ["nothing", {}, THIS_MACHINE],
  ["hosts in lower case", { no_proxy: "example.com, .corp" }, `example.com,.corp,${THIS_MACHINE}`],
  ["hosts in upper case", { NO_PROXY: "example.com" }, `example.com,${THIS_MACHINE}`],
  ["what a command was given by another", { no_proxy: THIS_MACHINE, NO_PROXY: THIS_MACHINE }, THIS_MACHINE],
  ["every host, which curl knows only alone", { NO_PROXY: "*" }, "*"],
])("this machine needs no proxy where the environment says: %s", (_, given, list) => {
  const env: NodeJS.ProcessEnv = { ...given };
  exemptThisMachine(env);
  expect(env).toEqual({ no_proxy: list, NO_PROXY: list });
});
