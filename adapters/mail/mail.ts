import { refuseOtherVersion } from "../../src/copies.js";
import type { ErrorListener } from "../../src/events/event-emitter.js";
import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { PollLoop } from "../jobs/poll-loop.js";
import { backgroundTimer } from "../jobs/timers.js";
import { acquireMessageWorker } from "../messages/shared-message-worker.js";
import type { SetupFinding } from "../setup/finding.js";
import { type DkimOptions, loadDkimKey, toAsciiDomain } from "./dkim.js";
import type { MailIdentity } from "./mail-sender.js";
import { type Mailbox, parseMailbox } from "./mailbox.js";
import type { MailTransport, OutgoingMail, SendReply } from "./outgoing-mail.js";
import type { MailRate } from "./rate.js";
import { findings, setupFindings } from "./setup.js";
import { SignInMailer } from "./sign-in-mailer.js";
import { parseSmtpOptions, type SmtpOptions } from "./smtp/smtp-options.js";
import { smtpTransport } from "./smtp/transport.js";
import { type MailState, MailWorker, type TransportFault } from "./worker.js";

/** A host's own way out for mails. */
export interface CustomMailer {
  /**
   * Sends one mail. It is called for some mails at the same time, and has 50 seconds.
   * @throws {MailSendError} if the mail did not leave. Any other error is a fault of the transport: all mails wait.
   */
  send(mail: OutgoingMail): Promise<SendReply | undefined> | Promise<void>;
}

export interface MailOptions {
  /** The URL by which customers reach the pages: https, without a trailing slash. */
  readonly publicUrl: string;
  /** Whom mails are from: `Name <address>` or an address. */
  readonly from: string;
  /** The mail server as a URL (`smtps://user@mail.example`), or with more, or the host's own way out. */
  readonly smtp: string | SmtpOptions | CustomMailer;
  /** Answers go there, unless the settings of an organization say otherwise. Default: to the sender. */
  readonly replyTo?: string;
  /** Bounces go to an address of the delivery at this domain. Default: to the sender. */
  readonly bounceDomain?: string;
  /** Signs mails; not for a way out of the host's own. */
  readonly dkim?: DkimOptions;
  /** Sending rate of this process. Default: 10 mails a second. */
  readonly rate?: MailRate;
  /** False leaves sending to other processes. Default: true. */
  readonly deliver?: boolean;
  /**
   * The time between two looks for mails of other processes and attempts that are due again, in milliseconds. Default: 1,000.
   */
  readonly pollMs?: number;
  /** Receives configuration problems, at start-up and once a day, and outages of the mail server. */
  readonly onFinding?: (finding: SetupFinding) => void;
  /** Gets what fails outside of any call. Default: the service's `onError`. */
  readonly onError?: ErrorListener;
}

/** The mails of a service. */
export interface Mail {
  /** Returns the problems of the mail setup; empty if there are none. It sends no mail. */
  check(): Promise<readonly SetupFinding[]>;
  /** Sends all mails that are due, then resolves. For tests, and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Returns whether mails wait for the transport, and how many are being sent by this process. */
  state(): MailState;
  /**
   * Begins no further mail, and leaves those that calls still queue to other processes and to later. Resolves when those under
   * way have ended and are settled. A server that answers its last requests stops first, and closes after them.
   */
  stop(): Promise<void>;
  /** Does the same, and takes no call that queues mails from then on: close the service then. */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

const RATE: MailRate = { requests: 10, seconds: 1 };

/** The most mails in flight on a host's own mailer. */
const OF_HOST_AT_ONCE = 10;

/**
 * Sends the mails of a service. Any number of processes may do so on one storage: each mail is sent by one of them, and what
 * one had claimed when it died is due again within a minute.
 * @throws {TypeError} if an address, the URL of the mail server, a key or the rate is malformed, the public URL is none that
 *   customers could follow, or mail is already set up for this service.
 * @example
 * import { createMail } from "loyalty-kit/mail";
 *
 * const mail = createMail(loyalty, {
 *   publicUrl: "https://cafe.example",
 *   from: "Cafe <hello@cafe.example>",
 *   smtp: "smtps://cafe@mail.cafe.example",
 * });
 */
export function createMail(loyalty: LoyaltyService, options: MailOptions): Mail {
  refuseOtherVersion(loyalty, "LoyaltyService");
  const { deliver = true, rate = RATE, pollMs = 1_000, bounceDomain = null, replyTo } = options;
  const setup = buildSetup(options);
  const wrong = setup.findings.find(
    ({ severity, code }) => severity === "error" && code.startsWith("public_"),
  );
  if (wrong !== undefined) throw new TypeError(wrong.message);
  const answersTo = replyTo === undefined ? null : parseMailbox(replyTo, "replyTo").address;
  if (bounceDomain !== null && !/^[a-z0-9.-]{1,253}$/i.test(bounceDomain)) {
    throw new TypeError("bounceDomain must be the name of a domain");
  }
  checkRate(rate);
  const transport = createTransport(options, setup.from);
  const backend = serviceInternals(loyalty).mailBackend();
  const onError = options.onError ?? backend.onError;
  const host = toAsciiDomain(setup.from.address);
  const onFinding = options.onFinding ?? (({ message }) => onError(new Error(message)));
  const sender: MailIdentity = {
    publicUrl: options.publicUrl,
    from: setup.from,
    replyTo: answersTo,
    bounceDomain,
    host,
    // A host may open wallets after mail.
    get hasPictures() {
      return serviceInternals(loyalty).channels.wallet;
    },
  };
  const signIns = new SignInMailer({ sender, transport, clock: backend.clock, onError });
  const perSecond = rate.requests / rate.seconds;
  const unlink = backend.attachSender({
    host,
    perSecond,
    sendSignIn: signIns.send,
    canQueueSignIn: signIns.hasRoom,
  });
  const worker = new MailWorker(backend, {
    ...{ rate, pollMs, onError, transport, atOnce: countConnections(options), sender },
    onWait: (fault) => onFinding(hasWaiting(fault)),
  });
  const check = async () => [...setup.findings, ...(await transport.check())];
  const reportFindings = async () => {
    for (const finding of await check()) options.onFinding?.(finding);
  };
  const messages = acquireMessageWorker(loyalty, pollMs);
  if (deliver) {
    messages.start();
    worker.start();
  }
  const daily = new PollLoop(() => reportFindings().catch(onError), {
    pollMs: DAY_MS,
    after: backgroundTimer,
  });
  if (options.onFinding !== undefined) daily.start();
  const stop = async () => {
    await Promise.all([messages.close(), worker.close(), signIns.close(), daily.stop()]);
  };
  return {
    check,
    async runOnce() {
      await messages.runOnce();
      await worker.runOnce();
    },
    state: () => worker.state,
    stop,
    async close() {
      unlink();
      await stop();
      await transport.close();
    },
  };
}

/**
 * Checks a mail setup without a service. It connects to the mail server, and sends no mail.
 * @throws {TypeError} if an address, the URL of the mail server or a key is malformed.
 * @example
 * import { checkMail } from "loyalty-kit/mail";
 *
 * const from = "Cafe <hello@cafe.example>";
 * const findings = await checkMail({ publicUrl: "https://cafe.example", from, smtp: "smtps://mail.cafe.example" });
 * for (const { severity, message } of findings) console.log(severity, message);
 */
export async function checkMail(
  options: Pick<MailOptions, "publicUrl" | "from" | "smtp" | "dkim">,
): Promise<readonly SetupFinding[]> {
  const setup = buildSetup(options);
  const transport = createTransport(options, setup.from);
  try {
    return [...setup.findings, ...(await transport.check())];
  } finally {
    await transport.close();
  }
}

interface Setup {
  readonly from: Mailbox;
  readonly findings: readonly SetupFinding[];
}

function buildSetup({
  publicUrl,
  from,
  dkim,
  smtp,
}: Pick<MailOptions, "publicUrl" | "from" | "smtp" | "dkim">): Setup {
  const mailbox = parseMailbox(from, "from");
  const { address } = mailbox;
  const key = dkim === undefined ? null : loadDkimKey(dkim, address);
  const found = setupFindings({ publicUrl, from: address, dkim: key });
  // Who sends mails by themselves signs them by themselves.
  return {
    from: mailbox,
    findings: isSending(smtp) ? found.filter((each) => each !== findings.dkimMissing) : found,
  };
}

/** The way out that the options name. */
export function createTransport(
  { smtp, dkim }: Pick<MailOptions, "smtp" | "dkim">,
  from: Mailbox,
): MailTransport {
  if (!isSending(smtp))
    return smtpTransport({ smtp, from: from.address, ...(dkim !== undefined && { dkim }) });
  return {
    send: async (mail) => parseReply(await smtp.send(mail)),
    check: async () => [],
    close: async () => {},
  };
}

/**
 * Reads the reply of a host's own mailer about a sent mail. Any other value counts as no reply, because the mail was sent, and an
 * error here would send it again.
 */
function parseReply(given: unknown): SendReply {
  const { code, answer } = Object(given) as { readonly code?: unknown; readonly answer?: unknown };
  return {
    code: typeof code === "number" && Number.isInteger(code) ? code : null,
    answer: typeof answer === "string" ? answer : "",
  };
}

function isSending(smtp: MailOptions["smtp"]): smtp is CustomMailer {
  return typeof smtp === "object" && "send" in smtp;
}

function countConnections({ smtp }: Pick<MailOptions, "smtp">): number {
  return isSending(smtp) ? OF_HOST_AT_ONCE : parseSmtpOptions(smtp).connections;
}

function checkRate({ requests, seconds }: MailRate): void {
  const isRate = Number.isInteger(requests) && requests > 0 && Number.isFinite(seconds) && seconds > 0;
  if (!isRate) throw new TypeError("rate must be a number of requests, at least 1, in a number of seconds");
}

function hasWaiting({ answer }: TransportFault): SetupFinding {
  const why = answer === null || answer === "" ? "it can't be reached" : answer.slice(0, 200);
  return {
    severity: "error",
    code: "mail_waits",
    message: `all mails wait for the mail server, which one of them tries again and again: ${why}`,
  };
}
