import { expect, test } from "bun:test";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startService } from "../../test/support/service.ts";
import { shareOf } from "../share.ts";
import { lighthouse } from "./lighthouse.ts";

const PATHS = ["/", "/docs", "/docs/errors/unauthorized", "/docs/guides/operations"];

for (const path of shareOf(PATHS, "pages for Lighthouse")) {
  test(
    `${path} is accessible and follows best practices`,
    async () => {
      await using service = await startService();
      const { scores, failed, firstPaintMs, interactiveMs } = await lighthouse(service.address + path);
      // How fast it is depends on the machine: it is told and not judged.
      console.log({ path, performance: scores.performance, firstPaintMs, interactiveMs });
      expect(failed).toEqual([]);
      expect(scores).toMatchObject({ accessibility: 100, "best-practices": 100 });
    },
    LONG_RUN_MS,
  );
}
