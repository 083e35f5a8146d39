import { shareOf } from "../share.ts";

const ALL = [
  "npm on Debian",
  "npm on musl",
  "next to bun",
  "the executable alone",
  "the executable on musl",
  "tests of the executable",
  "executables of other platforms",
  "a whole release",
  "the Debian package",
  "the Debian package under systemd",
  "the steps of operations.md",
  "the relay's unit under systemd",
  "the container image",
  "the image of the Dockerfile",
  "the manifests for Kubernetes",
] as const;

/** What of this suite is to be tested now: each part takes a minute or two, since it installs, builds or fetches a lot. */
export const PARTS: ReadonlySet<(typeof ALL)[number]> = new Set(shareOf(ALL, "parts of the packages"));
