import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type createFakeMail, smtpFaults } from "loyalty-kit/testing";
import { bundleProgram } from "../../kit/bundled-program.js";

/** Maximum wait for something that must happen, in milliseconds. */
const PATIENCE_MS = 60_000;

/** One in this many mails loses its reply. */
const LOST_OF = 25;

/** The input of sending processes. Their clocks are ahead by `aheadMs`. */
export interface SenderSetup {
  readonly smtp: string;
  readonly aheadMs: number;
}

/** Starts two processes that send mails and messages from one database. */
export function startTwoSenders(database: string, setup: SenderSetup): Promise<ChildProcess[]> {
  return Promise.all([startSender(database, setup), startSender(database, setup)]);
}

async function startSender(database: string, setup: SenderSetup): Promise<ChildProcess> {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const sender = spawn(process.execPath, [program, database, JSON.stringify(setup)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(sender.stdout, "data");
  return sender;
}

export async function killSender(sender: ChildProcess): Promise<void> {
  sender.kill("SIGKILL");
  await once(sender, "exit");
}

/** Makes a mail server lose some of its replies. @returns a function that counts the losses. */
export function loseAnswers(fake: Awaited<ReturnType<typeof createFakeMail>>): () => number {
  let lostCount = 0;
  fake.onMail = () => {
    if (fake.mails.length % LOST_OF > 0) return;
    lostCount += 1;
    fake.script(smtpFaults.answerLost);
  };
  return () => lostCount;
}

/** Returns the id of a mail's delivery. */
export function deliveryIdOf({ messageId }: { readonly messageId: string }): string {
  return messageId.slice(1, messageId.indexOf("@"));
}

export async function waitUntil(isSo: () => boolean, otherwise: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(otherwise);
    await pause(20);
  }
}
