import { Readable } from "node:stream";
import { withTimeout } from "../../../../src/base/concurrency/timeout.js";
import type { SmtpMessage } from "./message.js";
import type { Nodemailer } from "./nodemailer.js";
import type { SmtpFailure, SmtpStep } from "./replies.js";
import type { SmtpServer } from "./smtp-options.js";

/** Timeouts for a connection, in milliseconds. */
export interface SessionTimeouts {
  /** Maximum time to open a connection, from the start of the DNS lookup until the server accepts the login. */
  readonly opening: number;
  /** Maximum time that a connection waits for data from the server. */
  readonly silence: number;
}

/** Maximum size of a reply in bytes. A longer reply ends the connection. */
const MAX_REPLY_BYTES = 16_384;

const TIMEOUT_MESSAGE = "the mail server took too long to respond";

type Connection = InstanceType<Nodemailer["Connection"]>;

/** The fields of nodemailer's errors that are used here. */
interface ConnectionError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** Thrown if a connection can't be opened or fails, or if an email can't be sent over it. */
export class SmtpError extends Error {
  override readonly name = "SmtpError";

  /**
   * @param reason the error code from nodemailer or the operating system, such as `EAUTH`, `ETLS`, or `ENOTFOUND`. Empty if
   *   unknown.
   */
  constructor(
    readonly failure: SmtpFailure,
    readonly reason: string,
  ) {
    super(`the mail server failed at the step ${failure.step}`);
  }
}

/** A connection to the mail server that sends one email at a time. It is authenticated if the options contain credentials. */
export class SmtpSession {
  /** The number of emails sent over this connection, whether or not the server accepted them. */
  sent = 0;
  private isOpen = true;

  private constructor(
    private readonly connection: Connection,
    private readonly server: SmtpServer,
  ) {
    connection.on("end", () => {
      this.isOpen = false;
    });
  }

  /**
   * Opens a connection, starts TLS, and logs in.
   * @throws {SmtpError} if any step fails or takes too long.
   */
  static async open(
    nodemailer: Nodemailer,
    server: SmtpServer,
    times: SessionTimeouts,
  ): Promise<SmtpSession> {
    const connection = new nodemailer.Connection({
      host: server.host,
      port: server.port,
      secure: server.tls === "start",
      requireTLS: server.tls === "upgrade",
      ignoreTLS: server.tls === "off",
      connectionTimeout: times.opening,
      greetingTimeout: times.opening,
      dnsTimeout: times.opening,
      socketTimeout: times.silence,
      socketCloseTimeout: 0,
      maxResponseSize: MAX_REPLY_BYTES,
      tls: { minVersion: "TLSv1.2", ...(server.ca !== null && { ca: server.ca }) },
    });
    const session = new SmtpSession(connection, server);
    try {
      await withTimeout(times.opening, session.connect(), TIMEOUT_MESSAGE);
      return session;
    } catch (error) {
      session.destroy();
      throw session.toSmtpError(asError(error), "connection", false);
    }
  }

  get isUsable(): boolean {
    return this.isOpen;
  }

  /**
   * Sends one email and resolves to the server's reply. Closes the connection if there is no reply within `ms` milliseconds.
   * @throws {SmtpError} if the server doesn't accept the email. Check `isUsable` before reusing the connection.
   */
  async send({ envelope, content }: SmtpMessage, ms: number): Promise<string> {
    this.sent += 1;
    let hasBegunContent = false;
    const stream = new Readable({
      read() {
        hasBegunContent = true;
        this.push(content);
        this.push(null);
      },
    });
    const acceptance = new Promise<string>((resolve, reject) => {
      this.connection.send({ ...envelope, size: content.length }, stream, (error, info) => {
        if (error !== null) reject(error);
        else resolve(this.redact(info.response));
      });
    });
    try {
      return await withTimeout(ms, acceptance, TIMEOUT_MESSAGE);
    } catch (cause) {
      const error = asError(cause);
      if (error.responseCode === undefined) this.destroy();
      throw this.toSmtpError(error, findFailedStep(error, hasBegunContent), hasBegunContent);
    }
  }

  /**
   * Resets the connection after the server has rejected an email, so that the connection can be reused. Closes it if the server
   * doesn't respond within `ms` milliseconds.
   */
  async reset(ms: number): Promise<void> {
    if (!this.isOpen) return;
    try {
      const completion = new Promise<void>((resolve, reject) => {
        this.connection.reset((error) => (error === null ? resolve() : reject(error)));
      });
      await withTimeout(ms, completion, TIMEOUT_MESSAGE);
    } catch {
      this.destroy();
    }
  }

  /** Tells the server that the session is over, and closes the connection. */
  quit(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.connection.quit();
    setTimeout(() => this.destroy(), 1_000).unref();
  }

  destroy(): void {
    this.isOpen = false;
    this.connection.close();
  }

  private async connect(): Promise<void> {
    const { connection } = this;
    await new Promise<void>((resolve, reject) => {
      connection.on("error", reject);
      connection.on("end", () => reject(new Error("the server closed the connection")));
      connection.connect((error) => (error == null ? resolve() : reject(error)));
    });
    const { user } = this.server;
    if (user === null) return;
    if (!connection.allowsAuth) throw createSignInError("the server doesn't support authentication");
    await new Promise<void>((resolve, reject) => {
      connection.on("error", reject);
      connection.on("end", () => reject(new Error("the server closed the connection")));
      const credentials = { user: user.name, pass: user.password };
      connection.login({ ...credentials, credentials }, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }

  private toSmtpError(error: ConnectionError, step: SmtpStep, hasBegunContent: boolean): SmtpError {
    const isReply = step === "connection" || error.command !== "CONN" || error.responseCode === 421;
    const failure: SmtpFailure = {
      step,
      code: isReply ? (error.responseCode ?? null) : null,
      answer: this.redact(error.response ?? error.message),
      hasBegunContent,
    };
    return new SmtpError(failure, error.originalCode ?? error.code ?? "");
  }

  /** Removes the password from text that leaves this file, because a server may echo its input. */
  private redact(text: string): string {
    const { user } = this.server;
    // Only the start is stored anyway, and a hostile server may send as much as it likes.
    const start = text.slice(0, 2_000);
    if (user === null) return start;
    const encodeBase64 = (secret: string) => Buffer.from(secret).toString("base64");
    const secrets = [
      user.password,
      encodeBase64(user.password),
      encodeBase64(`\0${user.name}\0${user.password}`),
    ];
    return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, "…"), start);
  }
}

function findFailedStep(error: ConnectionError, hasBegunContent: boolean): SmtpStep {
  const { command, code, responseCode } = error;
  if (code === "EMESSAGE" && command === "MAIL FROM" && responseCode === undefined) return "size";
  if (command === "RCPT TO") return "recipient";
  if (command === "DATA" || hasBegunContent) return "data";
  return "sender";
}

function createSignInError(message: string): ConnectionError {
  return Object.assign(new Error(message), { code: "EAUTH" });
}

function asError(cause: unknown): ConnectionError {
  return cause instanceof Error ? cause : new Error("the mail server failed");
}
