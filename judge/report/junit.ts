import type { Finding, Judgement } from "../judgement.ts";
import { escapeXml } from "./xml.ts";

/**
 * A judgement as JUnit's XML, a test case for each rule, as CI systems read it.
 *
 * @param subject who was judged, as the name of the suite
 */
export function toJunit(subject: string, { findings }: Judgement): string {
  const count = (verdicts: readonly Finding["verdict"][]) =>
    findings.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const counts = `tests="${findings.length}" failures="${count(["failed"])}" skipped="${count(["untested", "skipped"])}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="${escapeXml(subject)}" ${counts}>
${findings.map(testCase).join("")}  </testsuite>
</testsuites>
`;
}

function testCase({ rule, verdict, evidence }: Finding): string {
  const head = `    <testcase classname="${rule.id}" name="${escapeXml(rule.title)}"`;
  if (verdict === "passed") return `${head}/>\n`;
  const result =
    verdict === "failed"
      ? `<failure message="${escapeXml(evidence[0] ?? "")}">${escapeXml([...evidence, `What to do: docs/${rule.page}`].join("\n"))}</failure>`
      : `<skipped message="${verdict === "untested" ? escapeXml(`To test it, ${rule.testedBy}.`) : "skipped"}"/>`;
  return `${head}>\n      ${result}\n    </testcase>\n`;
}
