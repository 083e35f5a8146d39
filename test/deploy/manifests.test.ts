import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { USER_ID } from "../../scripts/image/root.ts";
import { imageSettings } from "../../scripts/image/settings.ts";
import { readConfig } from "../../src/config/read.ts";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROGRAM, sandbox } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const lines = (file: string) => read(file).replaceAll("\\\n", "").split("\n");

const unit = lines("deploy/animal-store.service");
const { services } = parse(read("deploy/compose.yaml"));
const compose = services["animal-store"];
const [deployment, service, budget] = parseAllDocuments(read("deploy/kubernetes.yaml")).map((each) =>
  JSON.parse(JSON.stringify(each)),
);
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

/** The values of a key in a file of lines `key value` or `key=value`. */
function valuesOf(file: readonly string[], key: RegExp): string[] {
  return file.flatMap((line) => (key.test(line) ? [line.replace(key, "")] : []));
}

function settingsIn(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.flatMap((text) => text.split(" ").map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
  );
}

const { PATH: _, ...image } = settingsIn(imageSettings().Env);
const inPod = Object.fromEntries(
  container.env.map(({ name, value }: { name: string; value?: string }) => [
    name,
    value ?? "postgres://user@host/database",
  ]),
);

describe("every setting in deploy/ exists and has a valid value", () => {
  const places: Record<string, Record<string, string>> = {
    "the systemd unit": settingsIn(valuesOf(unit, /^Environment=/)),
    "the image": image,
    Compose: { ...image, ...compose.environment },
    Kubernetes: { ...image, ...inPod },
  };
  for (const [place, environment] of Object.entries(places)) {
    test(place, () => {
      const { config, sources } = readConfig({}, environment, "");
      for (const name of Object.keys(environment))
        expect(sources[name as keyof typeof sources]).toBe("environment");
      expect(config.FIRST_KEY).toBe("none");
    });
  }
});

test("each manifest allows a stop more time than the service takes", () => {
  const { config } = readConfig({}, {}, "");
  // Half a second for the log, one for the collector.
  const needed = config.SHUTDOWN_SECONDS + 2;
  expect(Number(valuesOf(unit, /^TimeoutStopSec=/)[0])).toBeGreaterThan(needed);
  expect(Number.parseInt(compose.stop_grace_period, 10)).toBeGreaterThan(needed);
  const { seconds } = container.lifecycle.preStop.sleep;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + needed);
});

describe("the image", () => {
  test("is built only from instructions whose meaning is known", () => {
    expect(() => imageSettings("FROM scratch\nONBUILD RUN true\n")).toThrow(
      "deploy/Dockerfile: scripts/image does not know what this means: ONBUILD RUN true",
    );
  });

  test("does not run as root", () => {
    expect(imageSettings().User).toBe(`${USER_ID}:${USER_ID}`);
    expect(pod.securityContext.runAsUser).toBe(USER_ID);
  });

  /** What the image's health check ends with, in the image's environment and this one. */
  async function check(env: Record<string, string>): Promise<number> {
    const [, , ...args] = imageSettings().Healthcheck.Test;
    await using child = Bun.spawn([PROGRAM, ...args], {
      env: { PATH: process.env.PATH, ...image, ...env },
      stderr: "ignore",
    });
    return await child.exited;
  }

  test("has a check that says whether the service is ready", async () => {
    await using running = await startService();
    const { port } = new URL(running.address);
    expect(await check({ PORT: port })).toBe(0);
    await running.store.close();
    // What it found a moment ago it says again, for a while.
    await until(async () => (await check({ PORT: port })) !== 0);
  });

  test("has a check that works where the service has TLS", async () => {
    const tls = makeCertificate("animals.example.com");
    using folder = temporaryFolder();
    const [TLS_CERT, TLS_KEY] = [join(folder.path, "cert.pem"), join(folder.path, "key.pem")];
    writeFileSync(TLS_CERT, tls.cert);
    writeFileSync(TLS_KEY, tls.key);
    await using running = await startService({ tls });
    const { port } = new URL(running.address);
    expect(await check({ PORT: port, TLS_CERT, TLS_KEY })).toBe(0);
  });
});

test("in Compose, a client reaches the sandbox and its control interface by the name of the service", async () => {
  const { services: own } = parse(read("examples/ci/compose.yaml"));
  const [command, ...args] = own.sandbox.command;
  const { ANIMAL_STORE_URL, API_KEY } = own.client.environment;
  const { host, pathname, port } = new URL(ANIMAL_STORE_URL);
  expect([command, own.sandbox.image, port]).toEqual(["sandbox", compose.image, image.PORT ?? ""]);
  expect(own.client.depends_on).toEqual({ sandbox: { condition: "service_healthy" } });
  using folder = temporaryFolder();
  await using running = await sandbox({ cwd: folder.path, env: image }, args);
  const local = `http://127.0.0.1:${new URL(running.address).port}`;
  const headers = { host, authorization: `Bearer ${API_KEY}` };
  expect((await fetch(`${local}${pathname}/pets`, { headers })).status).toBe(200);
  expect((await fetch(`${local}/_sandbox`, { headers })).status).toBe(200);
  expect((await fetch(`${local}/_sandbox`, { headers: { host: `other:${port}` } })).status).toBe(403);
  expect((await fetch(`${local}/readyz`, { headers: { host: "127.0.0.1" } })).status).toBe(200);
});

describe("the systemd unit", () => {
  test("starts the service again until it can start, however it ended", () => {
    expect(valuesOf(unit, /^StartLimitIntervalSec=/)).toEqual(["0"]);
    expect(valuesOf(unit, /^Restart=/)).toEqual(["always"]);
  });

  test("lets the service see who reads an old state of its store", () => {
    expect(valuesOf(unit, /^ProcSubset=/)).toEqual([]);
  });

  test("lets the service write to each folder for backups that the documentation names", () => {
    const writable = [
      ...valuesOf(unit, /^ReadWritePaths=-?/),
      ...valuesOf(unit, /^StateDirectory=/).map((name) => `/var/lib/${name}`),
    ];
    const named = [...read("docs/operations.md").matchAll(/\/var\/backups\/[\w./-]*\w/g)].map(
      ([path]) => path,
    );
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) {
      expect(writable.some((folder) => path === folder || path.startsWith(`${folder}/`))).toBe(true);
    }
  });
});

test("operations.md makes the folder and the settings for backups before it starts the service", () => {
  const page = read("docs/operations.md");
  const start = page.indexOf("systemctl enable --now animal-store");
  for (const step of [
    "install -d -o animal-store",
    "BACKUP_DIR=/var/backups/animal-store",
    "/etc/systemd/system/",
  ]) {
    expect(page.indexOf(step)).toBeWithin(0, start);
  }
});

describe("Kubernetes", () => {
  test("selects the pods that it makes", () => {
    const { labels } = deployment.spec.template.metadata;
    const spread = pod.topologySpreadConstraints.map(
      ({ labelSelector }: { labelSelector: object }) => labelSelector,
    );
    for (const selector of [deployment.spec.selector, budget.spec.selector, ...spread]) {
      expect(selector.matchLabels).toEqual(labels);
    }
    expect(service.spec.selector).toEqual(labels);
  });

  test("probes existing paths on the right port", async () => {
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [
        name,
        `${containerPort}`,
      ]),
    );
    expect(ports).toEqual({ http: image.PORT, metrics: inPod.METRICS_PORT });
    expect(deployment.spec.template.metadata.annotations["prometheus.io/port"]).toBe(inPod.METRICS_PORT);
    expect(service.spec.ports[0].targetPort).toBe("http");
    await using running = await startService();
    for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(httpGet.port).toBe("http");
      expect((await fetch(running.address + httpGet.path)).status).toBe(200);
    }
    expect(container.livenessProbe.httpGet.path).toBe("/livez");
  });

  test("replaces one instance at a time, and none before another is ready", () => {
    expect(budget.spec.maxUnavailable).toBeLessThan(deployment.spec.replicas);
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });

  test("gives the program no rights", () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });
});
