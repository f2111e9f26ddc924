import { setMaxListeners } from "node:events";
import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import { TaskTracker } from "../../../../src/base/concurrency/task-tracker.js";
import type { SetupFinding } from "../../../setup/finding.js";
import { PackageMissing } from "../../../setup/peers.js";
import { type DkimOptions, loadDkimKey } from "../dkim.js";
import type { MailTransport, OutgoingMail, SendReply } from "../outgoing-mail.js";
import { MailSendError, toPlainReply } from "../send-error.js";
import { findings } from "../setup.js";
import { type Compose, createComposer, type SmtpMessage } from "./message.js";
import { loadNodemailer } from "./nodemailer.js";
import { classifyFailure } from "./replies.js";
import { SmtpError, SmtpSession } from "./session.js";
import { parseSmtpOptions, type SmtpOptions, type SmtpServer } from "./smtp-options.js";

/** A connection is closed after this many milliseconds without an email, or after this many emails. */
const IDLE_TIMEOUT_MS = 10_000;

const MAX_MAILS_PER_CONNECTION = 100;

/** Maximum number of emails that wait for a connection. */
const MAX_WAITING = 1_000;

/** The key under which emails wait for a connection. A pool has one server. */
const QUEUE_KEY = "";

export interface SmtpTransportOptions {
  /** The mail server's URL, or options that include the URL. */
  readonly smtp: string | SmtpOptions;
  /** The sender's email address, without a display name. */
  readonly from: string;
  /** The DKIM key for signing emails. If omitted, emails aren't signed. */
  readonly dkim?: DkimOptions;
  /** Overrides timeouts in tests. With the defaults, an attempt takes at most 40 seconds. */
  readonly times?: Partial<SmtpTimeouts>;
}

/** Timeouts for sending one email, in milliseconds. */
export interface SmtpTimeouts {
  /** Maximum time to connect, negotiate TLS, and log in, including the server's greeting. */
  readonly opening: number;
  /** Maximum time to wait for data from the server. */
  readonly silence: number;
  /** Maximum duration of the whole attempt, including the wait for a free connection. */
  readonly attempt: number;
}

const DEFAULT_TIMEOUTS: SmtpTimeouts = { opening: 10_000, silence: 30_000, attempt: 40_000 };

/**
 * Creates a transport that sends emails through an SMTP server. It loads nodemailer on first use and keeps a few idle connections
 * open for ten seconds each. It never fetches URLs, opens files, or stores emails.
 * @throws {TypeError} if the URL or the DKIM key is malformed.
 */
export function createSmtpTransport(options: SmtpTransportOptions): MailTransport {
  const server = parseSmtpOptions(options.smtp);
  const dkim = options.dkim === undefined ? null : loadDkimKey(options.dkim, options.from);
  const times = { ...DEFAULT_TIMEOUTS, ...options.times };
  const open = async (ms: number) =>
    SmtpSession.open(await loadNodemailer(), server, { ...times, opening: Math.min(times.opening, ms) });
  const pool = new SessionPool(open, server.connections, times.attempt / 2);
  let compose: Compose | null = null;

  const sendOrReset = async (
    session: SmtpSession,
    message: SmtpMessage,
    deadline: number,
  ): Promise<string> => {
    try {
      return await session.send(message, computeRemainingMs(deadline));
    } catch (error) {
      await session.reset(Math.min(computeRemainingMs(deadline), 5_000));
      throw error;
    }
  };

  const attempt = async (mail: OutgoingMail): Promise<SendReply> => {
    const deadline = performance.now() + times.attempt;
    compose ??= createComposer(await loadNodemailer(), dkim);
    const message = await compose(mail);
    const send = (session: SmtpSession) => sendOrReset(session, message, deadline);
    const reply = await pool.use(send, wasConnectionDead, deadline);
    return { code: Number(reply.slice(0, 3)) || null, answer: toPlainReply(reply) };
  };

  return {
    async send(mail) {
      try {
        return await attempt(mail);
      } catch (error) {
        throw toMailSendError(error);
      }
    },
    check: () => checkConnection(() => open(times.opening), server),
    close: () => pool.close(),
  };
}

/** Returns whether the server had closed an idle connection before it received any part of the email. */
function wasConnectionDead(error: unknown): boolean {
  if (!(error instanceof SmtpError) || error.failure.hasBegunContent) return false;
  return error.failure.code === 421 || (error.failure.code === null && error.failure.step === "sender");
}

/** Converts an error. Details of unknown errors are dropped, because they might quote the email. */
function toMailSendError(error: unknown): MailSendError {
  if (error instanceof MailSendError) return error;
  if (error instanceof SmtpError) return new MailSendError(classifyFailure(error.failure));
  if (error instanceof NoConnectionError || error instanceof PackageMissing) {
    return new MailSendError({ fault: "transport", answer: error.message });
  }
  return new MailSendError({ fault: "message", answer: "the email couldn't be created" });
}

/**
 * Checks the connection to the mail server by connecting, starting TLS, and logging in. Doesn't send an email.
 * @returns the problems found, or an empty array if there are none.
 */
async function checkConnection(
  open: () => Promise<SmtpSession>,
  server: SmtpServer,
): Promise<SetupFinding[]> {
  const problems = server.tls === "off" && !server.isLocal ? [findings.encryptionOff] : [];
  try {
    const session = await open();
    session.quit();
    return problems;
  } catch (error) {
    return [...problems, toFinding(error, server)];
  }
}

function toFinding(error: unknown, server: SmtpServer): SetupFinding {
  const name = `${server.host}:${server.port}`;
  if (error instanceof PackageMissing) return findings.packageMissing;
  if (!(error instanceof SmtpError)) return findings.unreachable(name, "the connection failed");
  const { reason, failure } = error;
  const replyText = toPlainReply(failure.answer).slice(0, 200);
  if (reason === "EAUTH") return findings.signInRefused(name, replyText);
  if (/CERT|ISSUER|SELF_SIGNED|VERIFY/.test(reason)) return findings.untrusted(name, reason);
  if (reason === "ETLS" || /SSL|TLS/.test(reason)) return findings.notEncrypted(name, replyText);
  if (reason === "EDNS" || reason === "ENOTFOUND" || reason === "EAI_AGAIN")
    return findings.hostUnknown(server.host);
  if (failure.code !== null) return findings.refused(name, replyText);
  return findings.unreachable(name, replyText);
}

/** Thrown if no connection became available in time, if too many emails are waiting for a connection, or if the pool is closed. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

function createNoConnectionError(reason: "full" | "late"): NoConnectionError {
  return new NoConnectionError(
    reason === "full"
      ? "too many emails are waiting for a connection"
      : "no connection to the mail server became available in time",
  );
}

/** A pool with a limited number of connections to one server. Idle connections stay open for ten seconds. */
export class SessionPool {
  private readonly slots: FairSemaphore;
  private readonly tasks = new TaskTracker();
  private readonly closing = new AbortController();
  private readonly idle = new Map<SmtpSession, NodeJS.Timeout>();

  /** @param patience how long a task waits for a connection, in milliseconds. */
  constructor(
    private readonly open: (ms: number) => Promise<SmtpSession>,
    size: number,
    patience: number,
  ) {
    const queueLimits = { length: MAX_WAITING, patience, createError: createNoConnectionError };
    this.slots = new FairSemaphore(size, 1, queueLimits);
    // Each email that waits listens.
    setMaxListeners(MAX_WAITING, this.closing.signal);
  }

  /**
   * Runs a task with exclusive use of a connection, once one is free. If the task fails because an idle connection was already
   * dead, runs the task again on a new connection.
   * @param wasDead a function that returns whether an error means that the connection was already dead.
   * @param deadline the overall deadline, as measured by `performance.now()`.
   * @throws {NoConnectionError} if no connection becomes available in time, if too many emails are waiting, or if the pool is
   *   closed.
   */
  use<T>(
    work: (session: SmtpSession) => Promise<T>,
    wasDead: (error: unknown) => boolean,
    deadline: number,
  ): Promise<T> {
    const runWithSession = async () => {
      const idleSession = this.takeIdle();
      if (idleSession === null)
        return await this.runTask(work, await this.open(computeRemainingMs(deadline)));
      try {
        return await this.runTask(work, idleSession);
      } catch (error) {
        if (!wasDead(error)) throw error;
        this.closeIdle();
        return await this.runTask(work, await this.open(computeRemainingMs(deadline)));
      }
    };
    return this.tasks.track(this.slots.run(QUEUE_KEY, runWithSession, { signal: this.closing.signal }));
  }

  private closeIdle(): void {
    for (const [session, timer] of this.idle) {
      clearTimeout(timer);
      session.quit();
    }
    this.idle.clear();
  }

  /** Closes the pool. Resolves when all tasks that hold a connection have finished. */
  async close(): Promise<void> {
    this.closing.abort(new NoConnectionError("the mail service is closed"));
    this.closeIdle();
    await this.tasks.whenIdle();
  }

  private async runTask<T>(work: (session: SmtpSession) => Promise<T>, session: SmtpSession): Promise<T> {
    try {
      return await work(session);
    } finally {
      this.returnToPool(session);
    }
  }

  private takeIdle(): SmtpSession | null {
    for (const [session, timer] of this.idle) {
      clearTimeout(timer);
      this.idle.delete(session);
      if (session.isUsable) return session;
    }
    return null;
  }

  private returnToPool(session: SmtpSession): void {
    if (!session.isUsable) return;
    if (this.closing.signal.aborted || session.sent >= MAX_MAILS_PER_CONNECTION) {
      session.quit();
      return;
    }
    const closeSession = () => {
      this.idle.delete(session);
      session.quit();
    };
    this.idle.set(session, setTimeout(closeSession, IDLE_TIMEOUT_MS).unref());
  }
}

/** Returns the number of milliseconds until a deadline on the clock of `performance.now()`, but never less than 1. */
function computeRemainingMs(deadline: number): number {
  return Math.max(deadline - performance.now(), 1);
}
