import { type TemporaryFolder, temporaryFolder } from "./folder.ts";

// The shell lives as long as its pipe from this process: when we die, however, it ends every PostgreSQL that
// has its data in the folder, and removes the folder. One that is frozen has to be woken up to hear of it.
const GUARD = `
  read -r _
  for file in "$1"/*/postmaster.pid; do
    pid=$(head -n 1 "$file" 2>&-) || continue
    kill -CONT "$pid" 2>&-
    kill -QUIT "$pid" 2>&-
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      [ -e "$file" ] && kill -0 "$pid" 2>&- || break
      sleep 0.5
    done
  done
  rm -rf "$1"`;

/** A temporary folder for servers, which is gone with all that run in it also when this process is killed. */
export function guardedFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  const guard = Bun.spawn(["sh", "-c", GUARD, "sh", folder.path], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  return {
    path: folder.path,
    [Symbol.dispose]() {
      guard.kill("SIGKILL");
      folder[Symbol.dispose]();
    },
  };
}
