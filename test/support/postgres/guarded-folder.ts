import { type TemporaryFolder, temporaryFolder } from "../folder.ts";

// A PostgreSQL that was killed leaves a segment of shared memory in the kernel, which line 7 of its file names.
const REMOVE = `
  remove() {
    for file in "$1"/*/postmaster.pid; do
      segment=$(awk 'NR == 7 { print $2 }' "$file" 2>&-)
      [ -z "$segment" ] || ipcrm -m "$segment" 2>&-
    done
    rm -rf "$1"
  }`;

// The guard waits until the folder or this process is gone. Then it ends every PostgreSQL that has its data in the
// folder, and removes the folder. It wakes a frozen PostgreSQL, which would not act on the signal.
// The guard is not a child of this process: the runner kills the children of a test that took too long.
const GUARD = `
  ${REMOVE}
  is_there() {
    kill -0 "$1" 2>&- || return 1
    [ -r "/proc/$1/stat" ] || return 0
    read -r line < "/proc/$1/stat"
    case $line in *") Z "*) return 1 ;; esac
  }
  guard() {
    while [ -d "$1" ] && is_there "$2"; do sleep 0.3; done
    for file in "$1"/*/postmaster.pid; do
      pid=$(head -n 1 "$file" 2>&-) || continue
      kill -CONT "$pid" $(ps -A -o pid=,ppid= | awk -v parent="$pid" '$2 == parent { print $1 }') 2>&-
      kill -QUIT "$pid" 2>&-
      for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -e "$file" ] && is_there "$pid" || break
        sleep 0.5
      done
    done
    [ "$TEST_KEEP_FOLDERS" = 1 ] || remove "$1"
  }
  trap "" HUP INT TERM
  guard "$1" "$2" <&- >&- 2>&- &`;

/** A temporary folder for servers. It and all that runs in it are gone at its end, and when this process is killed. */
export function guardedFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  runShell(GUARD, folder.path, `${process.pid}`);
  return {
    path: folder.path,
    [Symbol.dispose]() {
      if (process.env.TEST_KEEP_FOLDERS !== "1") runShell(`${REMOVE}; remove "$1"`, folder.path);
      folder[Symbol.dispose]();
    },
  };
}

function runShell(script: string, ...args: string[]): void {
  Bun.spawnSync(["sh", "-c", script, "sh", ...args], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
}
