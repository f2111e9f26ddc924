/** The step of the SMTP conversation at which the server deviates from its usual reply. */
export type FaultStep = "greeting" | "sign-in" | "sender" | "recipient" | "end";

/**
 * The behavior that replaces the server's usual reply.
 *
 * - `code` and `text`: sends this reply. The text can have any length.
 * - `"silent"`: never replies, and keeps the connection open.
 * - `"drop"`: closes the connection without a reply.
 */
export type FaultyAnswer =
  | {
      /** The reply code, such as 451. */
      readonly code: number;
      /** The text that follows the code. */
      readonly text: string;
    }
  | "silent"
  | "drop";

/**
 * A single fault. A fault at the `end` step replaces the reply to the email itself, so the email isn't accepted unless `isTaken`
 * is set.
 */
export interface SmtpFault {
  /** The step of the SMTP conversation at which the fault happens. At earlier steps, the server replies as usual. */
  readonly at: FaultStep;
  /** How the server behaves instead of sending its usual reply. */
  readonly answer: FaultyAnswer;
  /**
   * Whether the email is accepted even though the reply is lost. Applies only to `drop` or `silent` at the `end` step. Default:
   * `false`.
   */
  readonly isTaken?: boolean;
  /** The delay before the reply, in milliseconds. Default: no delay. */
  readonly afterMs?: number;
}

const createFault = (at: FaultStep, code: number, text: string): SmtpFault => ({
  at,
  answer: { code, text },
});

/** Predefined faults that are typical of real mail servers, keyed by name. */
export const smtpFaults = {
  busyGreeting: createFault("greeting", 421, "4.3.2 too busy, try again later"),
  signInRefused: createFault("sign-in", 535, "5.7.8 authentication credentials invalid"),
  senderRefused: createFault("sender", 550, "5.7.1 sender not allowed"),
  greylisted: createFault("recipient", 451, "4.7.1 greylisted, try again in five minutes"),
  noSuchMailbox: createFault("recipient", 550, "5.1.1 no such user here"),
  mailboxFull: createFault("recipient", 552, "5.2.2 mailbox full"),
  blockedByPolicy: createFault("recipient", 550, "5.7.1 blocked by policy"),
  spam: createFault("end", 554, "5.7.1 message looks like spam"),
  answerLost: { at: "end", answer: "drop", isTaken: true },
  cutInContent: { at: "end", answer: "drop" },
  silentGreeting: { at: "greeting", answer: "silent" },
  silentEnd: { at: "end", answer: "silent", isTaken: true },
  longLine: createFault("recipient", 451, `4.0.0 ${"x".repeat(1_000_000)}`),
} as const satisfies Record<string, SmtpFault>;
