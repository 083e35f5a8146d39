import type { Mutant } from "../mutant.ts";

export const PROGRAM: readonly Mutant[] = [
  {
    breaks: "a CSV field whose doubled quotes stay doubled",
    file: "src/formats/csv-reader.ts",
    from: `fields.push(field.replaceAll('""', '"'));`,
    to: "fields.push(field);",
    noticedBy: "test/formats/csv-reader.test.ts",
    title: "what is written is read again, however it is cut",
  },
  {
    breaks: "backups of a time to come that take the place of new ones",
    file: "src/service/backups.ts",
    from: "const ordered = [...past, ...names.filter((name) => !past.includes(name))];",
    to: "const ordered = past.length < 0 ? past : names;",
    noticedBy: "test/commands/backup.test.ts",
    title: "that were made while the clock was ahead stop no later ones, and do not take their place",
  },
  {
    breaks: "the oldest backups kept",
    file: "src/service/backups.ts",
    from: "ordered.slice(count)",
    to: "ordered.slice(0, -count)",
    noticedBy: "test/commands/backup.test.ts",
    title: "are made by the service, sound, and the newest are kept; other files are left alone",
  },
];
