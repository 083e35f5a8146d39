import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** A line of proc_pid_mountinfo(5). */
interface Mount {
  /** `major:minor`, which the files below it have as their `dev` too. */
  readonly device: string;
  /** Where it is mounted. */
  readonly point: string;
  /** The file system's type, with the program behind it if it has one: `nfs4`, `fuse.sshfs`. */
  readonly type: string;
}

/**
 * File systems that several machines may mount. The index of SQLite's log is shared memory, and even where locks reach
 * other machines, this memory does not (sqlite.org/wal.html). 9p and virtiofs are left out: a virtual machine or a
 * sandbox may have its own disk by them.
 */
const NETWORK =
  /^(?:afs|beegfs|ceph|cifs|lustre|nfs4?|smb[23]?|smbfs|fuse\.(?:ceph.*|glusterfs|s3fs|sshfs))$/;

/** Whether a file system, a folder or a file is mounted at a path. */
export function isMountPoint(path: string): boolean {
  return mounts().some(({ point }) => point === path);
}

/** The type of the network file system that holds a file, or would if the file were made; `undefined` on other disks. */
export function networkTypeAt(file: string): string | undefined {
  const device = deviceOf(file);
  return mounts().find((mount) => mount.device === device && NETWORK.test(mount.type))?.type;
}

/** All mounts on Linux; elsewhere nothing is known. */
function mounts(): Mount[] {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8").split("\n").filter(Boolean).map(mountOf);
  } catch {
    return [];
  }
}

function mountOf(line: string): Mount {
  const [, , device = "", , point = ""] = line.split(" ");
  // The optional fields before the dash vary in number.
  const [type = ""] = line.slice(line.indexOf(" - ") + " - ".length).split(" ");
  return { device, point: unescapeOctal(point), type };
}

function unescapeOctal(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Of the file, or of the nearest folder above it that exists; `undefined` if that is unknown. */
function deviceOf(file: string): string | undefined {
  for (let path = file; ; path = dirname(path)) {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found) return deviceName(found.dev);
    } catch {
      return undefined;
    }
    if (path === dirname(path)) return undefined;
  }
}

/** As mountinfo has it: the major number's 12 bits stand within the minor's 20 (Linux's `new_encode_dev`). */
function deviceName(dev: number): string {
  return `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;
}
