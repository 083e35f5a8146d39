import type { Witness } from "../../receiver-judge/acts.ts";
import { judgeReceiver, NoReceiver } from "../../receiver-judge/judge-receiver.ts";
import { Mint } from "../../receiver-judge/mint.ts";
import { post } from "../../receiver-judge/post.ts";
import { Probe } from "../../receiver-judge/probe.ts";
import { RECEIVER_RULES } from "../../receiver-judge/rules.ts";
import { SandboxJournal } from "../../receiver-judge/sandbox-journal.ts";
import { Random } from "../../verify/random.ts";
import { CommandFailure } from "../process/errors.ts";
import { Interruption } from "../process/on-signal.ts";
import { VERSION } from "../system/version.ts";
import { type ReceiverOptions, readReceiverOptions } from "./judge-receiver/options.ts";
import { JudgementReport } from "./judgement-report.ts";

/** `animal-store sandbox judge-receiver`: posts right and wrong deliveries to a receiver of webhooks, and judges what it does. */
export async function judgeReceiverAt(address: string, options: ReceiverOptions): Promise<void> {
  const report = new JudgementReport(options, RECEIVER_RULES);
  const { timeoutMs, skipped } = report;
  const { target, shown, secrets, retired, probe, sandbox, seed } = await readReceiverOptions(
    address,
    options,
    timeoutMs,
  );
  using interruption = new Interruption("The receiver is not judged; it has some of the deliveries.");
  const witness = await witnessOf(probe, sandbox);
  await report.output.explain(`${shown}: deliveries in the order of --seed ${seed}`);
  const mint = new Mint({
    secrets,
    retired,
    chance: new Random(seed, 0),
    agent: `animal-store-judge/${VERSION}`,
  });
  const judged = judgeReceiver({
    post: (delivery) => post(target, timeoutMs, delivery),
    mint,
    witness: witness && { read: () => witness.read().catch(unreadable) },
    skipped,
    patienceMs: timeoutMs,
  });
  const { sent, judgement } = await judged.catch((error) => {
    throw error instanceof NoReceiver
      ? new CommandFailure(`the receiver cannot be judged: ${error.message}.`, 3, { cause: error })
      : error;
  });
  interruption.outcome = "The receiver is judged.";
  const subject = {
    who: "receiver",
    name: shown,
    lines: [`${sent.length} deliveries, --seed ${seed}`],
    about: { receiver: shown, seed, deliveries: sent.length },
  };
  await report.write(judgement, subject, "no rule is left that the receiver could be judged by.");
}

/** Where the receiver shows what it does, and that it can be read. */
async function witnessOf(probe: URL | undefined, sandbox: URL | undefined): Promise<Witness | undefined> {
  if (sandbox) {
    const journal = new SandboxJournal(sandbox.href.replace(/\/$/, ""));
    await journal.begin().catch(unreadable);
    return journal;
  }
  const witness = probe && new Probe(probe);
  await witness?.read().catch(unreadable);
  return witness;
}

function unreadable(error: Error): never {
  throw new CommandFailure(`what the receiver has done cannot be read: ${error.message}.`, 3, {
    cause: error,
  });
}
