import { wasAccepted } from "../../receiver-judge/delivery.ts";
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
import {
  type ReceiverOptions,
  type ReceiverSettings,
  readReceiverOptions,
} from "./judge-receiver/options.ts";
import { JudgementReport } from "./judgement-report.ts";

/** Another space may have its requests. */
const SILENT_SANDBOX = new Error(
  "it accepted deliveries and then sent no request to the space of --sandbox; " +
    "have it call that sandbox for each event, and set API_KEY to the key that it sends",
);

/** `animal-store sandbox judge-receiver`: posts right and wrong deliveries to a receiver of webhooks, and judges what it does. */
export async function judgeReceiverAt(address: string, options: ReceiverOptions): Promise<void> {
  const report = new JudgementReport(options, RECEIVER_RULES);
  const { timeoutMs, skipped } = report;
  const settings = await readReceiverOptions(address, options, timeoutMs);
  const { target, responseMs, shown, secrets, retired, seed } = settings;
  using interruption = new Interruption("The receiver is not judged; it has some of the deliveries.");
  const journal = await journalOf(settings);
  const witness = journal ?? (await probeOf(settings));
  await report.output.explain(`${shown}: deliveries in the order of --seed ${seed}`);
  const mint = new Mint({
    secrets,
    retired,
    chance: new Random(seed, 0),
    agent: `animal-store-judge/${VERSION}`,
  });
  const judged = judgeReceiver({
    post: (delivery) => post(target, responseMs, delivery),
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
  if (journal?.isEmpty && sent.some((one) => one.acts && wasAccepted(one))) unreadable(SILENT_SANDBOX);
  interruption.outcome = "The receiver is judged.";
  const subject = {
    who: "receiver",
    name: shown,
    lines: [`${sent.length} deliveries, --seed ${seed}`],
    about: { receiver: shown, seed, deliveries: sent.length },
  };
  await report.write(judgement, subject, "no rule is left that the receiver could be judged by.");
}

/** The journal of the sandbox that the receiver calls, if there is one, once it could be read. */
async function journalOf({ sandbox, key }: ReceiverSettings): Promise<SandboxJournal | undefined> {
  const journal = sandbox && new SandboxJournal(sandbox.href.replace(/\/$/, ""), key);
  await journal?.begin().catch(unreadable);
  return journal;
}

/** The receiver's probe, if there is one, once it could be read. */
async function probeOf({ probe }: ReceiverSettings): Promise<Probe | undefined> {
  const shown = probe && new Probe(probe);
  await shown?.read().catch(unreadable);
  return shown;
}

function unreadable(error: Error): never {
  throw new CommandFailure(`what the receiver has done cannot be read: ${error.message}.`, 3, {
    cause: error,
  });
}
