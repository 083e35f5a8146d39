import { type TemporaryFolder, temporaryFolder } from "../folder.ts";

// Ends every PostgreSQL that has its data in a folder, or in the guarded folder of another process below it, and removes
// the folder. A frozen PostgreSQL is woken, since it would not act on the signal. A killed one leaves a segment of shared
// memory in the kernel, which line 7 of its file names.
// A minimal Linux has no `ps` (macOS has no /proc), and mawk fails where its output is closed, even if it writes nothing.
const REMOVE = `
  is_there() {
    kill -0 "$1" 2>/dev/null || return 1
    [ -r "/proc/$1/stat" ] || return 0
    read -r line < "/proc/$1/stat"
    case $line in *") Z "*) return 1 ;; esac
  }
  command_of() {
    if [ -d /proc/self ]; then tr '\\0' ' ' < "/proc/$1/cmdline"; else ps -ww -o args= -p "$1"; fi
  }
  is_server() {
    case $(command_of "$1") in *"$2"*) ;; *) return 1 ;; esac
  }
  children_of() {
    if [ -d /proc/self ]; then
      for stat in /proc/[0-9]*/stat; do
        line=
        read -r line < "$stat"
        case $line in *") "[A-Z]" $1 "*) echo "\${line%% *}" ;; esac
      done
    else
      ps -A -o pid=,ppid= | while read -r pid parent; do [ "$parent" != "$1" ] || echo "$pid"; done
    fi
  }
  end_server() {
    kill -CONT "$1" $(children_of "$1")
    kill -QUIT "$1"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      is_there "$1" || break
      sleep 0.5
    done
  }
  remove() {
    for file in "$1"/*/postmaster.pid "$1"/*/*/postmaster.pid; do
      [ -r "$file" ] || continue
      pid= segment=
      { read -r pid; read -r _; read -r _; read -r _; read -r _; read -r _; read -r _ segment; } < "$file"
      # The id of a server that was killed may be another process's by now.
      is_server "$pid" "\${file%/*}" && end_server "$pid"
      [ -z "$segment" ] || ipcrm -m "$segment"
    done
    [ "$TEST_KEEP_FOLDERS" = 1 ] || rm -rf "$1"
  }`;

// The guard waits until the folder or this process is gone. It is no child of this process, since the runner kills the
// children of a test that took too long, and it holds none of the runner's streams open.
const GUARD = `
  ${REMOVE}
  guard() {
    while [ -d "$1" ] && is_there "$2"; do sleep 0.3; done
    remove "$1"
  }
  trap "" HUP INT TERM
  guard "$1" "$2" </dev/null >/dev/null 2>&1 &`;

/** A temporary folder for servers. It and all that runs in it are gone at its end, and when this process is killed. */
export function guardedFolder(): TemporaryFolder {
  const folder = temporaryFolder();
  runShell(GUARD, folder.path, `${process.pid}`);
  return {
    path: folder.path,
    [Symbol.dispose]() {
      runShell(`${REMOVE}; remove "$1"`, folder.path);
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
