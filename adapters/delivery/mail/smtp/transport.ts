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
  /** The mail server's URL, or options that include the URL. */
  readonly smtp: string | SmtpOptions;
  /** The sender's email address, without a display name. */
  readonly from: string;
  /** The DKIM key for signing emails. If omitted, emails aren't signed. */
  readonly dkim?: DkimOptions;
  /** Overrides timeouts in tests. With the defaults, an attempt takes at most 40 seconds. */
  readonly times?: Partial<SmtpTimes>;
}

/** Timeouts for sending one email, in milliseconds. */
export interface SmtpTimes {
  /** Maximum time to connect, negotiate TLS, and log in, including the server's greeting. */
  readonly opening: number;
  /** Maximum time to wait for data from the server. */
  readonly silence: number;
  /** Maximum duration of the whole attempt, including the wait for a free connection. */
  readonly attempt: number;
}

const TIMES: SmtpTimes = { opening: 10_000, silence: 30_000, attempt: 40_000 };

/**
 * Creates a transport that sends emails through an SMTP server. It loads nodemailer on first use and keeps a few idle connections
 * open for ten seconds each. It never fetches URLs, opens files, or stores emails.
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
  return new MailSendError({ fault: "message", answer: "the email couldn't be created" });
}
