import { PackageMissing } from "../../../setup/load-peer.js";
import { type DkimOptions, loadDkimKey } from "../dkim.js";
import type { MailTransport, OutgoingMail, SendReply } from "../outgoing-mail.js";
import { MailSendError, toPlainReply } from "../send-error.js";
import { connectionFindings } from "./check.js";
import { type Compose, createComposer, type SmtpMessage } from "./message.js";
import { loadNodemailer } from "./nodemailer.js";
import { msLeft, NoConnectionError, SessionPool } from "./pool.js";
import { classifyFailure } from "./replies.js";
import { SmtpError, SmtpSession } from "./session.js";
import { parseSmtpOptions, type SmtpOptions } from "./smtp-options.js";

export interface SmtpTransportOptions {
  /** The mail server, as a URL or as options. */
  readonly smtp: string | SmtpOptions;
  /** The sender's address, without a display name. */
  readonly from: string;
  /** The key that signs emails. Default: emails are not signed. */
  readonly dkim?: DkimOptions;
  /** Overrides the timeouts, for tests. By default, an attempt takes at most 40 seconds. */
  readonly times?: Partial<SmtpTimes>;
}

/** Timeouts for an attempt, in milliseconds. */
export interface SmtpTimes {
  /** Maximum time from connecting until the server accepts the login, including the greeting and TLS. */
  readonly opening: number;
  /** Maximum time without receiving data from the server. */
  readonly silence: number;
  /** Maximum time for the whole attempt, including waiting for a connection. */
  readonly attempt: number;
}

const TIMES: SmtpTimes = { opening: 10_000, silence: 30_000, attempt: 40_000 };

/**
 * Creates a transport that sends emails to an SMTP server. The transport loads nodemailer when first needed, and keeps a few idle
 * connections open for ten seconds each. It never fetches URLs, opens files or stores emails.
 * @throws {TypeError} if the URL or the DKIM key is malformed.
 */
export function smtpTransport(options: SmtpTransportOptions): MailTransport {
  const server = parseSmtpOptions(options.smtp);
  const dkim = options.dkim === undefined ? null : loadDkimKey(options.dkim, options.from);
  const times = { ...TIMES, ...options.times };
  const open = async (ms: number) =>
    SmtpSession.open(await loadNodemailer(), server, { ...times, opening: Math.min(times.opening, ms) });
  const pool = new SessionPool(open, server.connections);
  let compose: Compose | null = null;

  const sendOver = async (session: SmtpSession, message: SmtpMessage, until: number): Promise<string> => {
    try {
      return await session.send(message, msLeft(until));
    } catch (error) {
      await session.reset(Math.min(msLeft(until), 5_000));
      throw error;
    }
  };

  const attempt = async (mail: OutgoingMail): Promise<SendReply> => {
    const until = performance.now() + times.attempt;
    compose ??= createComposer(await loadNodemailer(), dkim);
    const message = await compose(mail);
    const over = (session: SmtpSession) => sendOver(session, message, until);
    const answer = await pool.use(over, wasDead, until);
    return { code: Number(answer.slice(0, 3)) || null, answer: toPlainReply(answer) };
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

/** Returns whether the server had closed an idle connection before it received any part of the email. */
function wasDead(error: unknown): boolean {
  if (!(error instanceof SmtpError) || error.failure.hasBegunContent) return false;
  return error.failure.code === 421 || (error.failure.code === null && error.failure.step === "sender");
}

/** Converts an error. Details of unknown errors are dropped, because they might quote the email. */
function refusedBy(error: unknown): MailSendError {
  if (error instanceof MailSendError) return error;
  if (error instanceof SmtpError) return new MailSendError(classifyFailure(error.failure));
  if (error instanceof NoConnectionError || error instanceof PackageMissing) {
    return new MailSendError({ fault: "transport", answer: error.message });
  }
  return new MailSendError({ fault: "message", answer: "the mail could not be made" });
}
