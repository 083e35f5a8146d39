import { type TemporaryFolder, temporaryFolder } from "../folder.ts";

// Watches until the folder is gone, or this process is, however it ended; then it ends every PostgreSQL that has
// its data in the folder, and removes the folder. One that is frozen has to be woken up to hear of it.
// It is no child of ours: the runner kills those of a test that took too long.
const GUARD = `
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
    rm -rf "$1"
  }
  trap "" HUP INT TERM
  guard "$1" "$2" <&- >&- 2>&- &`;

/** A temporary folder for servers, which is gone with all that run in it also when this process is killed. */
export function guardedFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  Bun.spawnSync(["sh", "-c", GUARD, "sh", folder.path, `${process.pid}`], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  return folder;
}
