import { PackageMissing } from "../../setup/peer.js";
import { type DkimOptions, dkimKeyOf } from "../dkim.js";
import type { MailTransport, OutgoingMail, SendReply } from "../outgoing-mail.js";
import { MailSendError, plainAnswer } from "../refusal.js";
import { refusalOf } from "./answers.js";
import { connectionFindings } from "./check.js";
import { type Compose, composing, type SmtpMessage } from "./message.js";
import { loadedNodemailer } from "./nodemailer.js";
import { left, NoConnection, SessionPool } from "./pool.js";
import { SmtpError, SmtpSession } from "./session.js";
import { type SmtpOptions, smtpServerOf } from "./smtp-options.js";

export interface SmtpTransportOptions {
  /** The URL of the mail server, or it with more. */
  readonly smtp: string | SmtpOptions;
  /** The sender's address, without a name. */
  readonly from: string;
  /** Mails are not signed unless given. */
  readonly dkim?: DkimOptions;
  /** The times are those of tests. Default: mails keep to 40 seconds. */
  readonly times?: Partial<SmtpTimes>;
}

/** The bounds of one attempt, in milliseconds. */
export interface SmtpTimes {
  /** Until the server has greeted, encrypted and let us sign in. */
  readonly opening: number;
  /** The longest silence of the server. */
  readonly silence: number;
  /** All of it, with the waiting for a connection. */
  readonly attempt: number;
}

const TIMES: SmtpTimes = { opening: 10_000, silence: 30_000, attempt: 40_000 };

/**
 * Hands mails to a mail server by nodemailer, which it loads with the first one, over a few connections that are kept for ten
 * seconds. It follows no link, opens no file, and keeps no mail.
 * @throws {TypeError} when the URL or the DKIM key is malformed.
 */
export function smtpTransport(options: SmtpTransportOptions): MailTransport {
  const server = smtpServerOf(options.smtp);
  const dkim = options.dkim === undefined ? null : dkimKeyOf(options.dkim, options.from);
  const times = { ...TIMES, ...options.times };
  const open = async (ms: number) =>
    SmtpSession.open(await loadedNodemailer(), server, { ...times, opening: Math.min(times.opening, ms) });
  const pool = new SessionPool(open, server.connections);
  let compose: Compose | null = null;

  const sendOver = async (session: SmtpSession, message: SmtpMessage, until: number): Promise<string> => {
    try {
      return await session.send(message, left(until));
    } catch (error) {
      await session.reset(Math.min(left(until), 5_000));
      throw error;
    }
  };

  const attempt = async (mail: OutgoingMail): Promise<SendReply> => {
    const until = performance.now() + times.attempt;
    compose ??= composing(await loadedNodemailer(), dkim);
    const message = await compose(mail);
    const over = (session: SmtpSession) => sendOver(session, message, until);
    const answer = await pool.use(over, wasDead, until);
    return { code: Number(answer.slice(0, 3)) || null, answer: plainAnswer(answer) };
  };

  return {
    async send(mail) {
      try {
        return await attempt(mail);
      } catch (error) {
        throw refusedBy(error);
      }
    },
    check: () => connectionFindings(() => open(times.opening), server),
    close: () => pool.close(),
  };
}

/** Tells whether the server had closed a connection that waited, before it saw anything of the mail. */
function wasDead(error: unknown): boolean {
  if (!(error instanceof SmtpError) || error.failure.hasBegunContent) return false;
  return error.failure.code === 421 || (error.failure.code === null && error.failure.step === "sender");
}

/** Nothing of an error that is not known leaves: it might quote the mail. */
function refusedBy(error: unknown): MailSendError {
  if (error instanceof MailSendError) return error;
  if (error instanceof SmtpError) return new MailSendError(refusalOf(error.failure));
  if (error instanceof NoConnection || error instanceof PackageMissing) {
    return new MailSendError({ fault: "transport", answer: error.message });
  }
  return new MailSendError({ fault: "message", answer: "the mail could not be made" });
}
