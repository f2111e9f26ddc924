import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type createFakeMail, smtpFaults } from "loyalty-kit/testing";
import { bundleProgram } from "../../kit/bundled-program.js";

/** How long may pass until something happens that has to. */
const PATIENCE_MS = 60_000;

/** One mail in so many has its answer lost. */
const LOST_OF = 25;

/** What processes that send are given. Their clocks are ahead by so much. */
export interface SenderSetup {
  readonly smtp: string;
  readonly aheadMs: number;
}

/** Starts two processes that send mails and messages from one database. */
export function startTwoSenders(place: string, setup: SenderSetup): Promise<ChildProcess[]> {
  return Promise.all([startSender(place, setup), startSender(place, setup)]);
}

async function startSender(place: string, setup: SenderSetup): Promise<ChildProcess> {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const sender = spawn(process.execPath, [program, place, JSON.stringify(setup)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(sender.stdout, "data");
  return sender;
}

export async function end(sender: ChildProcess): Promise<void> {
  sender.kill("SIGKILL");
  await once(sender, "exit");
}

/** Has a mail server lose some of its answers. @returns how many it was told to lose. */
export function loseAnswers(fake: Awaited<ReturnType<typeof createFakeMail>>): () => number {
  let lost = 0;
  fake.onMail = () => {
    if (fake.mails.length % LOST_OF > 0) return;
    lost += 1;
    fake.script(smtpFaults.answerLost);
  };
  return () => lost;
}

/** The delivery that a mail is of. */
export function idOf({ messageId }: { readonly messageId: string }): string {
  return messageId.slice(1, messageId.indexOf("@"));
}

export async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(otherwise);
    await pause(20);
  }
}
