import { readFileSync } from "node:fs";
import { join } from "node:path";

const DOCKERFILE = join(import.meta.dir, "../../deploy/Dockerfile");
const NANOSECONDS = 1e9;

/** What an image says about how it is run: the `config` of the OCI image specification, with Docker's health check. */
interface ImageSettings {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[]; readonly [time: string]: unknown };
  readonly Labels: Readonly<Record<string, string>>;
}

/**
 * The settings of the last stage of `deploy/Dockerfile`, the one place that has them.
 *
 * @throws Error that names an instruction of which it does not know the meaning
 */
export function imageSettings(dockerfile = readFileSync(DOCKERFILE, "utf8")): ImageSettings {
  const lines = dockerfile
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const ofStage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")) + 1);
  const settings: Record<string, unknown> = {};
  for (const line of ofStage) {
    const [, instruction = "", value = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    const read = MEANINGS[instruction];
    if (!read) throw new Error(`deploy/Dockerfile: scripts/image does not know what this means: ${line}`);
    Object.assign(settings, read(value));
  }
  return settings as unknown as ImageSettings;
}

const MEANINGS: Readonly<Record<string, (value: string) => Partial<Record<keyof ImageSettings, unknown>>>> = {
  COPY: () => ({}),
  USER: (User) => ({ User }),
  WORKDIR: (WorkingDir) => ({ WorkingDir }),
  ENV: (value) => ({ Env: words(value) }),
  EXPOSE: (value) => ({ ExposedPorts: { [`${value}/tcp`]: {} } }),
  VOLUME: (value) => ({ Volumes: { [value]: {} } }),
  ENTRYPOINT: (value) => ({ Entrypoint: JSON.parse(value) }),
  CMD: (value) => ({ Cmd: JSON.parse(value) }),
  LABEL: (value) => ({ Labels: Object.fromEntries(words(value).map((pair) => pair.split(/=(.*)/s))) }),
  HEALTHCHECK: (value) => {
    const [, options = "", command = "[]"] = /^(.*) CMD (\[.*\])$/.exec(value) ?? [];
    const seconds = (name: string) =>
      Number(new RegExp(`--${name}=(\\d+)s`).exec(options)?.[1]) * NANOSECONDS;
    return {
      Healthcheck: {
        Test: ["CMD", ...JSON.parse(command)],
        Interval: seconds("interval"),
        Timeout: seconds("timeout"),
        StartPeriod: seconds("start-period"),
      },
    };
  },
};

/** Words that spaces separate, also `name="some words"`, without the quotes. */
function words(value: string): string[] {
  return (value.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ""));
}
