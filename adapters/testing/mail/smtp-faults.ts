/** The step of the SMTP conversation at which the server deviates from its usual reply. */
export type FaultStep = "greeting" | "sign-in" | "sender" | "recipient" | "end";

/**
 * What the server does instead of its usual reply.
 *
 * - `code` and `text`: it sends this reply. The text may have any length.
 * - `"silent"`: it never replies, and the connection stays open.
 * - `"drop"`: it closes the connection without a reply.
 */
export type FaultyAnswer = { readonly code: number; readonly text: string } | "silent" | "drop";

/** A single fault. A fault at the `end` replaces the reply to the whole email, which is then not accepted. */
export interface SmtpFault {
  readonly at: FaultStep;
  readonly answer: FaultyAnswer;
  /**
   * With `drop` or `silent` at the `end`: `true` if the email is accepted anyway, so that only the reply is lost. Default: `false`.
   */
  readonly isTaken?: boolean;
  /** The delay before the reply, in milliseconds. Default: none. */
  readonly afterMs?: number;
}

const answered = (at: FaultStep, code: number, text: string): SmtpFault => ({ at, answer: { code, text } });

/** Typical failures of real mail servers. */
export const smtpFaults = {
  busyGreeting: answered("greeting", 421, "4.3.2 too busy, try again later"),
  signInRefused: answered("sign-in", 535, "5.7.8 authentication credentials invalid"),
  senderRefused: answered("sender", 550, "5.7.1 sender not allowed"),
  greylisted: answered("recipient", 451, "4.7.1 greylisted, try again in five minutes"),
  noSuchMailbox: answered("recipient", 550, "5.1.1 no such user here"),
  mailboxFull: answered("recipient", 552, "5.2.2 mailbox full"),
  blockedByPolicy: answered("recipient", 550, "5.7.1 blocked by policy"),
  spam: answered("end", 554, "5.7.1 message looks like spam"),
  answerLost: { at: "end", answer: "drop", isTaken: true },
  cutInContent: { at: "end", answer: "drop" },
  silentGreeting: { at: "greeting", answer: "silent" },
  silentEnd: { at: "end", answer: "silent", isTaken: true },
  longLine: answered("recipient", 451, `4.0.0 ${"x".repeat(1_000_000)}`),
} as const satisfies Record<string, SmtpFault>;
