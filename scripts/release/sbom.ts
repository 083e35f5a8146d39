import { join } from "node:path";
import { runCommand } from "../../test/support/run-command.ts";

const ROOT = join(import.meta.dir, "../..");

/** A part of what is released, as CycloneDX describes it. */
export interface Component {
  readonly "bom-ref": string;
  readonly properties?: readonly { readonly name: string }[];
  readonly [member: string]: unknown;
}

interface Bom {
  serialNumber?: string;
  readonly metadata: { timestamp: string; readonly component: Component };
  components: readonly Component[];
  dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** How npm marks what only contributors install. Its `--omit=dev` also leaves out what the program and a tool both need. */
const FOR_DEVELOPMENT = "cdx:npm:package:development";

/**
 * What a release contains, as CycloneDX.
 *
 * @param time in seconds since 1970; npm would write the present time and a random number, and no two would be the same
 * @param others what it contains besides npm's packages
 */
export async function sbom(time: string, others: readonly Component[] = []): Promise<string> {
  const options = ["--sbom-format=cyclonedx", "--package-lock-only", "--workspaces=false"];
  const { stdout } = await runCommand(["npm", "sbom", ...options], { cwd: ROOT });
  const bom = JSON.parse(stdout) as Bom;
  delete bom.serialNumber;
  bom.metadata.timestamp = new Date(Number(time) * 1000).toISOString();
  bom.components = [
    ...bom.components.filter(
      ({ properties = [] }) => !properties.some(({ name }) => name === FOR_DEVELOPMENT),
    ),
    ...others,
  ];
  const kept = new Set([bom.metadata.component, ...bom.components].map((each) => each["bom-ref"]));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
  return `${JSON.stringify(bom, null, 2)}\n`;
}
