import { expect, test } from "bun:test";
import { canMount, WITH_READ_ONLY_DISK, WITH_SMALL_DISK } from "../../test/support/full-disk.ts";
import { run } from "../../test/support/program.ts";
import { storePlace } from "../../test/support/store-place.ts";

const WITHOUT_ROOM = [
  ...WITH_SMALL_DISK,
  "sh",
  "-c",
  'cat /dev/zero > disk/more 2> /dev/null; exec "$@"',
  "sh",
];
const FULL = "SQLite: SQLITE_FULL: the disk of ./disk/new.db is full. Make room there, and try again.";
const NOT_WRITTEN =
  "cannot write ./disk/new.db: ENOSPC: no space left on device, write. Make room on its disk, and try again.";

test.skipIf(!canMount()).each([
  ["seed --count 60000", WITH_SMALL_DISK, FULL],
  ["import many.csv", WITH_SMALL_DISK, FULL],
  ["copy --to sqlite:./disk/new.db --from sqlite:./store/animals.db", WITH_SMALL_DISK, FULL],
  ["restore a.bak --ids-from 100000", WITH_SMALL_DISK, NOT_WRITTEN],
  ["migrate", WITHOUT_ROOM, FULL],
] as const)(
  "a full disk: `%s` names the store and says what to do, in one line",
  async (command, before, problem) => {
    using here = storePlace();
    await here.create(30_000);
    await here.run("backup", "a.bak");
    await here.write("many.csv", `name,categoryId\n${"Animal,1\n".repeat(60_000)}`);
    const env = { DATABASE_URL: "sqlite:./disk/new.db" };
    const { exitCode, stdout, stderr } = await run(command.split(" "), { cwd: here.cwd, env, before });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `animal-store: ${problem}\n`,
    });
  },
);

test.skipIf(!canMount()).each([
  ["backup disk/a.bak", "disk/a.bak"],
  ["export disk/animals.csv", "disk/animals.csv"],
  ["import some.csv --skip-bad disk/bad.csv", "disk/bad.csv"],
] as const)(
  "a read-only file system: `%s` names the file in one line, and changes nothing",
  async (command, file) => {
    using here = storePlace();
    await here.create(1);
    await here.write("some.csv", "name,categoryId\nRex,1\n");
    const { exitCode, stdout, stderr } = await run(command.split(" "), {
      ...here,
      before: WITH_READ_ONLY_DISK,
    });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(`^animal-store: cannot write ${file}: EROFS: read-only file system.*\\n$`),
      ),
    });
    expect(await here.animals()).toHaveLength(1);
  },
);
