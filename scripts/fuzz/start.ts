import { run, serve } from "../../test/support/program.ts";
import { type FuzzOptions, fuzz, type Report } from "../../verify/fuzz/fuzzer.ts";

/**
 * Starts a service of its own in a folder, fuzzes it, and stops it.
 *
 * @param folder empty
 */
export async function startAndFuzz({
  folder,
  ...options
}: Omit<FuzzOptions, "address" | "pid" | "keys"> & { readonly folder: string }): Promise<Report> {
  await using service = await serve({ cwd: folder, env: { STABILITY: "experimental" } });
  const made = await run(["keys", "create", "--name", "reading", "--scopes", "pets:read"], { cwd: folder });
  const keys = { full: service.key, reading: made.stdout.trim() };
  const report = await fuzz({ ...options, address: service.address, pid: service.pid, keys });
  // A warning or an error in the log is a failure, even if every response was right.
  const complaint = service
    .output()
    .split("\n")
    .find((line) => /"level":"(?:warn|error|fatal)"/.test(line));
  if (complaint === undefined || report.failure) return report;
  return { ...report, failure: { kind: "log", why: complaint, sent: Buffer.alloc(0), actual: undefined } };
}
