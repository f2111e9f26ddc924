import { assertSameVersion } from "../../../src/base/copies.js";
import { DAY_MS } from "../../../src/base/values/clock.js";
import { serviceInternals } from "../../../src/internals.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { SetupFinding } from "../../setup/finding.js";
import { getOrCreateMessageWorker } from "../jobs/organization-workers.js";
import { backgroundTimer, PollLoop } from "../jobs/timers.js";
import { type DkimOptions, loadDkimKey, toAsciiDomain } from "./dkim.js";
import type { MailIdentity } from "./mail-sender.js";
import { type Mailbox, parseMailbox } from "./mailbox.js";
import type { MailTransport, OutgoingMail, SendReply } from "./outgoing-mail.js";
import type { MailRate } from "./rate.js";
import { findings, findSetupProblems } from "./setup.js";
import { SignInMailer } from "./sign-in-mailer.js";
import { parseSmtpOptions, type SmtpOptions } from "./smtp/smtp-options.js";
import { createSmtpTransport } from "./smtp/transport.js";
import { type MailState, MailWorker, type TransportFault } from "./worker.js";

/** A mailer that the host provides in place of SMTP. */
export interface CustomMailer {
  /**
   * Sends one email. Must support concurrent calls and finish within 50 seconds.
   * @throws {MailSendError} if the email wasn't sent. Any other error counts as a transport failure, which makes all emails wait.
   */
  send(mail: OutgoingMail): Promise<SendReply | undefined> | Promise<void>;
}

export interface MailOptions {
  /** The HTTPS URL that customers use to reach the pages, without a trailing slash. */
  readonly publicUrl: string;
  /** The sender of all emails, either as `Name <address>` or as an address alone. */
  readonly from: string;
  /** The mail server, as a URL such as `smtps://user@mail.example` or as options, or a mailer that the host provides. */
  readonly smtp: string | SmtpOptions | CustomMailer;
  /** The address for replies, unless the organization's settings specify a different one. Defaults to the sender. */
  readonly replyTo?: string;
  /** The domain that receives bounces, with a separate address for each delivery. If omitted, bounces go to the sender. */
  readonly bounceDomain?: string;
  /** The key that signs emails with DKIM. Has no effect if the host provides its own mailer. */
  readonly dkim?: DkimOptions;
  /** The maximum rate at which this process sends emails. Default: 10 per second. */
  readonly rate?: MailRate;
  /** Whether this process sends emails. Set to false if other processes send them. Default: true. */
  readonly deliver?: boolean;
  /**
   * Interval between polls, in milliseconds. Polling picks up emails queued by other processes and attempts that are due for a
   * retry. Default: 1,000.
   */
  readonly pollMs?: number;
  /** Called with configuration problems found at startup or by the daily check, and with mail server outages. */
  readonly onFinding?: (finding: SetupFinding) => void;
  /** Called with errors from background work. Defaults to the service's `onError`. */
  readonly onError?: ErrorListener;
}

/** A service's running mail setup. It sends the service's emails until it is stopped. */
export interface Mail {
  /** Checks the mail setup without sending an email. Resolves to the problems found, or to an empty array if there are none. */
  check(): Promise<readonly SetupFinding[]>;
  /** Sends all emails that are due, then resolves. Intended for tests and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Returns whether emails are waiting for the transport to recover, and how many emails this process is currently sending. */
  state(): MailState;
  /**
   * Stops sending new emails. Resolves when the emails in flight have finished and their results are recorded. Emails can still be
   * queued, and are then sent by other processes or by this process after a restart. During shutdown, call `stop` before the server
   * answers its last requests, and `close` afterward.
   */
  stop(): Promise<void>;
  /**
   * Stops sending, like {@link Mail.stop}, and rejects later calls that would queue emails. Closing the service stops sending, too.
   */
  close(): Promise<void>;
}

const DEFAULT_RATE: MailRate = { requests: 10, seconds: 1 };

/** Maximum number of emails in flight with a host's own mailer. */
const MAX_CONCURRENT_CUSTOM_SENDS = 10;

/**
 * Sets up email for a service. Several processes can do this on the same storage, because each email is claimed by only one of
 * them. If a process dies, the emails it claimed become due again within a minute.
 * @throws {TypeError} if an address, the mail server's URL, a key, or the rate is malformed, if the public URL isn't one that
 *   customers can reach, or if mail is already set up for this service.
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
  assertSameVersion(loyalty, "LoyaltyService");
  const { deliver = true, rate = DEFAULT_RATE, pollMs = 1_000, bounceDomain = null, replyTo } = options;
  const setup = buildSetup(options);
  const setupError = setup.findings.find(
    ({ severity, code }) => severity === "error" && code.startsWith("public_"),
  );
  if (setupError !== undefined) throw new TypeError(setupError.message);
  const replyAddress = replyTo === undefined ? null : parseMailbox(replyTo, "replyTo").address;
  if (bounceDomain !== null && !/^[a-z0-9.-]{1,253}$/i.test(bounceDomain)) {
    throw new TypeError("bounceDomain must be a domain name");
  }
  assertRate(rate);
  const transport = createTransport(options, setup.from);
  const { backends, workers } = serviceInternals(loyalty);
  const backend = backends.mail;
  const onError = options.onError ?? backend.onError;
  const host = toAsciiDomain(setup.from.address);
  const onFinding = options.onFinding ?? (({ message }) => onError(new Error(message)));
  const sender: MailIdentity = {
    publicUrl: options.publicUrl,
    from: setup.from,
    replyTo: replyAddress,
    bounceDomain,
    host,
  };
  const signInMailer = new SignInMailer({ sender, transport, clock: backend.clock, onError });
  const perSecond = rate.requests / rate.seconds;
  const detachSender = backend.attachSender({
    host,
    perSecond,
    sendSignIn: signInMailer.send,
    canQueueSignIn: signInMailer.hasCapacity,
  });
  const worker = new MailWorker(backend, {
    ...{ rate, pollMs, onError, transport, maxConcurrentSends: getMaxConcurrentSends(options), sender },
    onWait: (fault) => onFinding(createWaitingFinding(fault)),
  });
  const check = async () => [...setup.findings, ...(await transport.check())];
  const reportFindings = async () => {
    for (const finding of await check()) options.onFinding?.(finding);
  };
  const messageWorker = getOrCreateMessageWorker(loyalty, pollMs);
  if (deliver) {
    messageWorker.start();
    worker.start();
  }
  const dailyCheck = new PollLoop(() => reportFindings().catch(onError), {
    pollMs: DAY_MS,
    after: backgroundTimer,
  });
  if (options.onFinding !== undefined) dailyCheck.start();
  const stop = async () => {
    await Promise.all([worker.close(), signInMailer.close(), dailyCheck.stop()]);
  };
  const closeSending = workers.add(async () => {
    await stop();
    await transport.close();
  });
  return {
    check,
    async runOnce() {
      await messageWorker.runOnce();
      await worker.runOnce();
    },
    state: () => worker.state,
    stop,
    async close() {
      detachSender();
      await closeSending();
    },
  };
}

/**
 * Checks a mail setup without a service. Connects to the mail server but doesn't send an email.
 * @returns the problems found, or an empty array if there are none.
 * @throws {TypeError} if an address, the mail server's URL, or a key is malformed.
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
  const problems = findSetupProblems({ publicUrl, from: address, dkim: key });
  // A host's own mailer signs its emails itself.
  return {
    from: mailbox,
    findings: isCustomMailer(smtp) ? problems.filter((each) => each !== findings.dkimMissing) : problems,
  };
}

/** Creates the transport that the options specify: SMTP or the host's own mailer. */
export function createTransport(
  { smtp, dkim }: Pick<MailOptions, "smtp" | "dkim">,
  from: Mailbox,
): MailTransport {
  if (!isCustomMailer(smtp))
    return createSmtpTransport({ smtp, from: from.address, ...(dkim !== undefined && { dkim }) });
  return {
    send: async (mail) => parseReply(await smtp.send(mail)),
    check: async () => [],
    close: async () => {},
  };
}

/**
 * Reads the reply of a host's own mailer after it sent an email. Any other value counts as an empty reply, because throwing an
 * error would send the email again.
 */
function parseReply(reply: unknown): SendReply {
  const { code, answer } = Object(reply) as { readonly code?: unknown; readonly answer?: unknown };
  return {
    code: typeof code === "number" && Number.isInteger(code) ? code : null,
    answer: typeof answer === "string" ? answer : "",
  };
}

function isCustomMailer(smtp: MailOptions["smtp"]): smtp is CustomMailer {
  return typeof smtp === "object" && "send" in smtp;
}

function getMaxConcurrentSends({ smtp }: Pick<MailOptions, "smtp">): number {
  return isCustomMailer(smtp) ? MAX_CONCURRENT_CUSTOM_SENDS : parseSmtpOptions(smtp).connections;
}

function assertRate({ requests, seconds }: MailRate): void {
  const isRate = Number.isInteger(requests) && requests > 0 && Number.isFinite(seconds) && seconds > 0;
  if (!isRate)
    throw new TypeError("rate must have a positive integer for requests and a positive number for seconds");
}

function createWaitingFinding({ answer }: TransportFault): SetupFinding {
  const reason = answer === null || answer === "" ? "it can't be reached" : answer.slice(0, 200);
  return {
    severity: "error",
    code: "mail_waits",
    message: `emails are on hold until the mail server accepts them again: ${reason}`,
  };
}
