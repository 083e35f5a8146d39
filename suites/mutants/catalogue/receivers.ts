import type { Mutant } from "../mutant.ts";

export const RECEIVERS: readonly Mutant[] = [
  {
    breaks: "a judge of receivers that praises an acceptance although the forgery was accepted, too",
    file: "receiver-judge/judge-receiver.ts",
    from: 'return sent.response.kind === "response" && wasAccepted(sent) === (sent.due === "2xx");',
    to: "return true;",
    noticedBy: "test/receiver-judge/rules.test.ts",
    title: "it accepts everything",
  },
  {
    breaks: "a judge of receivers that takes what is not shown for kept",
    file: "receiver-judge/rules/acting.ts",
    from: "if (!genuine || !wasAccepted(genuine) || !actsAtAll) return UNTESTED;",
    to: "if (!genuine || !acts) return { isTested: true, faults: [] };",
    noticedBy: "test/receiver-judge/rules.test.ts",
    title: "what a receiver does not show is untested, and never passed",
  },
  {
    breaks: "a judge of receivers that sends in the same order always",
    file: "receiver-judge/judge-receiver.ts",
    from: "const other = chance.below(at + 1);",
    to: "const other = at;",
    noticedBy: "test/receiver-judge/rules.test.ts",
    title: "a seed decides the order of right and wrong",
  },
  {
    breaks: "a judge of receivers that takes 410 for a refusal",
    file: "receiver-judge/delivery.ts",
    from: "status >= 400 && status < 500 && status !== 410",
    to: "status >= 400 && status < 500",
    noticedBy: "test/receiver-judge/rules.test.ts",
    title: "it wants no more of what is wrong",
  },
  {
    breaks: "a judge of receivers that posts to private addresses unasked",
    file: "src/commands/judge-receiver/options.ts",
    from: "const allowPrivate = options.allowPrivate === true || isNear;",
    to: "const allowPrivate = true;",
    noticedBy: "test/receiver-judge/command.test.ts",
    title: "http to another machine",
  },
  {
    breaks: "a judge of receivers that counts requests from before its run",
    file: "receiver-judge/sandbox-journal.ts",
    from: "    this.#numbers.length = 0;\n",
    to: "",
    noticedBy: "test/receiver-judge/command.test.ts",
    title: "a sandbox that the receiver calls shows how often it acts",
  },
];
