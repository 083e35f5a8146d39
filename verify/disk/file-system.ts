import { existsSync, readFileSync, statSync } from "node:fs";

/** The file system of a folder, as the kernel reports it. */
interface FileSystem {
  readonly type: string;
  /** The device or its stand-in: `/dev/sda1`, `tmpfs`. */
  readonly source: string;
  /** Why nothing written here would survive a loss of power, even after a sync. */
  readonly volatile: string | undefined;
}

/** File systems in memory. */
const IN_MEMORY = /^(?:tmpfs|ramfs|hugetlbfs|rootfs)$/;
/** Mount options that make a sync not wait for the device, or not reach it. */
const UNSAFE_OPTIONS = ["volatile", "nobarrier", "barrier=0", "fsync=volatile"];

/** The file system of a folder, on Linux only. */
export function fileSystemOf(folder: string): FileSystem | undefined {
  if (!existsSync("/proc/self/mountinfo")) return undefined;
  // proc_pid_mountinfo(5): of several mounts on one path, the last is on top.
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").trim().split("\n").map(parseMount);
  const own = mounts
    .filter(({ path }) => folder === path || folder.startsWith(path === "/" ? "/" : `${path}/`))
    .reduce<Mount | undefined>(
      (best, mount) => (best && best.path.length > mount.path.length ? best : mount),
      undefined,
    );
  if (!own) return undefined;
  const { type, source, options } = own;
  return { type, source, volatile: volatility(type, options) };
}

interface Mount {
  readonly path: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

function parseMount(line: string): Mount {
  const [mount = "", details = ""] = line.split(" - ");
  const [, , , , path = "", options = ""] = mount.split(" ");
  const [type = "", source = "", superOptions = ""] = details.split(" ");
  return {
    path: plain(path),
    type,
    source: plain(source),
    options: [...options.split(","), ...superOptions.split(",")],
  };
}

/** The kernel writes spaces and the like in octal. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function volatility(type: string, options: readonly string[]): string | undefined {
  if (IN_MEMORY.test(type)) return `${type} keeps its files in memory`;
  const unsafe = options.find((option) => UNSAFE_OPTIONS.includes(option));
  return unsafe === undefined ? undefined : `it is mounted with ${unsafe}, which skips syncs`;
}

/**
 * How many flushes the device of a folder has been told to do, or what reads that; undefined where the kernel does
 * not count them.
 */
export function flushCounterOf(folder: string): (() => number) | undefined {
  const { dev } = statSync(folder);
  // The kernel's split of a device number (makedev(3)), for numbers of today's size.
  const device = `/sys/dev/block/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  // For a partition, its whole disk counts flushes (iostats in the kernel's documentation).
  const file = existsSync(`${device}/partition`) ? `${device}/../stat` : `${device}/stat`;
  const read = () => Number(readFileSync(file, "utf8").trim().split(/\s+/)[15]);
  try {
    return Number.isFinite(read()) ? read : undefined;
  } catch {
    return undefined;
  }
}
