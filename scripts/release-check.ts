// `npm run release:check`: says whether the commit that is checked out can be released. It prints a line for each check,
// and ends with 1 if any failed. What could not be found out is "not checked", which is no failure.
import { CHECKS } from "./release/checks.ts";

let failed = 0;
for (const { name, run } of CHECKS) {
  const { verdict, detail } = await run();
  if (verdict === "failed") failed++;
  console.log(`${verdict.padEnd(11)}  ${name}${detail ? `: ${detail}` : ""}`);
}
console.log(failed === 0 ? "It can be released." : `${failed} of ${CHECKS.length} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
