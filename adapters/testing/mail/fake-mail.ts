import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { SMTPServer, SMTPServerSession } from "smtp-server";
import { foldEmail } from "../../../src/base/values/email.js";
import { throwMissing } from "../../setup/peers.js";
import { type Fetch, type LinkResponse, scanLinks, unsubscribeByOneClick } from "./mailbox-provider.js";
import { type ReceivedMail, readMail } from "./received-mail.js";
import { type SmtpFault, smtpFaults } from "./smtp-faults.js";

export interface FakeMailOptions {
  /** The credentials that clients must provide before they can send email. Default: no authentication. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Turns on encryption, using a key and a certificate for `localhost` in PEM format. Default: no encryption. */
  readonly tls?: { readonly kind: "smtps" | "starttls"; readonly key: string; readonly certificate: string };
  /** The function that sends the requests for {@link FakeMail.unsubscribe} and {@link FakeMail.scan}. Default: Node's `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Starts a local mail server that, by default, accepts every email. Requires the `smtp-server` and `postal-mime` packages.
 * @example
 * import { createMail } from "loyalty-kit/mail";
 * import { createFakeMail } from "loyalty-kit/testing";
 *
 * const server = await createFakeMail();
 * createMail(loyalty, { publicUrl: "https://cafe.example", from: "hello@cafe.example", smtp: server.url });
 * console.log(server.mailbox("anna@example.com"));
 */
export async function createFakeMail(options: FakeMailOptions = {}): Promise<FakeMail> {
  return FakeMail.start(options);
}

/** A local mail server that stores every email it accepts. */
export class FakeMail {
  /** The URL to pass as `smtp` to `createMail`, including the user and password, if any. */
  readonly url: string;
  /** The accepted emails, in the order in which they arrived. */
  readonly mails: ReceivedMail[] = [];
  /** Called for each accepted email. Assign a function to observe emails as they arrive. */
  onMail: (mail: ReceivedMail) => void = () => {};
  /** The total number of connections that clients have made, including closed ones. */
  connections = 0;
  /** Whether the server uses greylisting, that is, temporarily rejects the first email to each address with status 451. */
  isGreylisting = false;
  private readonly scriptedFaults: (SmtpFault | null)[] = [];
  private readonly faultsByAddress = new Map<string, SmtpFault>();
  private readonly knownRecipients = new Set<string>();
  /** The client connections, keyed by the port under which the inner server knows them. */
  private readonly clientSockets = new Map<number, Socket>();
  private readonly sockets = new Set<Socket>();
  /** The fault that applies to the email in progress, keyed by session ID. */
  private readonly currentFaults = new Map<string, SmtpFault>();
  private readonly fetch: Fetch;

  private constructor(
    private readonly frontServer: Server,
    private readonly innerServer: SMTPServer,
    options: FakeMailOptions,
  ) {
    const { user, tls } = options;
    const { port } = frontServer.address() as AddressInfo;
    const signIn = user ? `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@` : "";
    const scheme = tls?.kind === "smtps" ? "smtps" : "smtp";
    this.url = `${scheme}://${signIn}localhost:${port}${tls?.kind === "starttls" ? "?tls=on" : ""}`;
    this.fetch = options.fetch ?? fetch;
    frontServer.on("connection", (socket) => this.forward(socket));
    innerServer.on("error", () => {});
    this.listen(user);
  }

  static async start(options: FakeMailOptions): Promise<FakeMail> {
    const [{ SMTPServer }] = await Promise.all([
      import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "smtp-server").catch(
        throwMissing("smtp-server"),
      ),
      import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "postal-mime").catch(
        throwMissing("postal-mime"),
      ),
    ]);
    const { user, tls } = options;
    const disabledCommands = [...(tls?.kind === "starttls" ? [] : ["STARTTLS"]), ...(user ? [] : ["AUTH"])];
    const innerServer = new SMTPServer({
      name: "fake-mail.example",
      disabledCommands,
      authOptional: user === undefined,
      allowInsecureAuth: tls === undefined,
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: true,
      logger: false,
      closeTimeout: 1,
      ...(tls && { secure: tls.kind === "smtps", key: tls.key, cert: tls.certificate }),
    });
    const front = createServer();
    front.listen(0, "127.0.0.1");
    innerServer.listen(0, "127.0.0.1");
    await Promise.all([once(front, "listening"), once(innerServer.server, "listening")]);
    return new FakeMail(front, innerServer, options);
  }

  /**
   * Queues faults for the next emails, in order, one per email. `null` lets an email succeed. A fault at the greeting or at sign-in
   * takes effect on the next connection.
   */
  script(...faults: readonly (SmtpFault | null)[]): void {
    this.scriptedFaults.push(...faults);
  }

  /**
   * Makes every email to an address fail with the given fault, which must be at the `sender` step or later. Pass `null` to stop the
   * failures.
   */
  fail(address: string, fault: SmtpFault | null): void {
    if (fault === null) this.faultsByAddress.delete(foldEmail(address));
    else this.faultsByAddress.set(foldEmail(address), fault);
  }

  /** Returns the emails sent to an address, in the order in which they arrived. */
  mailbox(address: string): ReceivedMail[] {
    const searchedAddress = foldEmail(address);
    return this.mails.filter(({ envelope }) => foldEmail(envelope.to) === searchedAddress);
  }

  /** Returns the emails whose `Message-ID` has already appeared in an earlier email, that is, duplicates. */
  doubles(): ReceivedMail[] {
    const seenIds = new Set<string>();
    return this.mails.filter(({ messageId }) => seenIds.size === seenIds.add(messageId).size);
  }

  /** Resolves once at least `count` emails have arrived in total. */
  async received(count: number): Promise<void> {
    while (this.mails.length < count) await once(this.innerServer, MAIL_STORED);
  }

  /**
   * Unsubscribes the recipient in the same way as a mailbox provider's one-click button (RFC 8058).
   * @throws if the email doesn't offer one-click unsubscription.
   */
  unsubscribe(mail: ReceivedMail): Promise<LinkResponse> {
    return unsubscribeByOneClick(mail, this.fetch);
  }

  /** Requests every link in an email with HEAD and GET, as a security gateway would. */
  scan(mail: ReceivedMail): Promise<LinkResponse[]> {
    return scanLinks(mail, this.fetch);
  }

  /** Closes the server and all its connections. */
  async close(): Promise<void> {
    const ends = Promise.all([
      new Promise<void>((resolve) => this.frontServer.close(() => resolve())),
      new Promise<void>((resolve) => this.innerServer.close(() => resolve())),
    ]);
    for (const socket of this.sockets) socket.destroy();
    await ends;
  }

  private forward(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.sockets.delete(socket));
    const fault = this.takeScriptedFault("greeting");
    if (fault?.answer === "silent") return;
    if (fault?.answer === "drop") {
      socket.destroy();
      return;
    }
    if (fault) {
      socket.end(`${fault.answer.code} ${fault.answer.text}\r\n`);
      return;
    }
    const innerSocket = connect((this.innerServer.server.address() as AddressInfo).port, "127.0.0.1");
    innerSocket.on("connect", () => this.clientSockets.set(innerSocket.localPort ?? 0, socket));
    innerSocket.on("error", () => socket.destroy());
    innerSocket.on("close", () => {
      this.clientSockets.delete(innerSocket.localPort ?? 0);
      socket.end();
    });
    socket.on("close", () => innerSocket.destroy());
    socket.pipe(innerSocket).pipe(socket);
  }

  private listen(user: FakeMailOptions["user"]): void {
    const { innerServer } = this;
    innerServer.onAuth = (credentials, session, callback) => {
      const fault = this.takeScriptedFault("sign-in");
      if (fault) return this.respond(fault, session, callback);
      if (credentials.username === user?.name && credentials.password === user?.password) {
        return callback(null, { user: credentials.username });
      }
      this.respond(smtpFaults.signInRefused, session, callback);
    };
    innerServer.onMailFrom = (_, session, callback) => {
      const fault =
        this.scriptedFaults[0]?.at === "greeting" || this.scriptedFaults[0]?.at === "sign-in"
          ? null
          : this.scriptedFaults.shift();
      if (fault) this.currentFaults.set(session.id, fault);
      else this.currentFaults.delete(session.id);
      if (fault?.at === "sender") return this.respond(fault, session, callback);
      callback();
    };
    innerServer.onRcptTo = ({ address }, session, callback) => {
      const fault = this.takeRecipientFault(foldEmail(address), session);
      if (fault?.at === "recipient" || fault?.at === "sender") return this.respond(fault, session, callback);
      callback();
    };
    innerServer.onData = (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => void this.end(Buffer.concat(chunks), session, callback));
    };
    innerServer.onClose = (session) => void this.currentFaults.delete(session.id);
  }

  private takeRecipientFault(address: string, session: SMTPServerSession): SmtpFault | undefined {
    const fault = this.faultsByAddress.get(address);
    if (fault) this.currentFaults.set(session.id, fault);
    if (this.isGreylisting && !this.knownRecipients.has(address)) {
      this.knownRecipients.add(address);
      return smtpFaults.greylisted;
    }
    return this.currentFaults.get(session.id);
  }

  private async end(raw: Buffer, session: SMTPServerSession, callback: SmtpCallback): Promise<void> {
    const fault = this.currentFaults.get(session.id);
    const isFaulty = fault?.at === "end";
    if (!isFaulty || fault.isTaken) await this.store(raw, session);
    if (isFaulty) this.respond(fault, session, callback);
    else callback();
  }

  private async store(raw: Buffer, session: SMTPServerSession): Promise<void> {
    const { mailFrom, rcptTo } = session.envelope;
    const arrival = { raw, isEncrypted: session.secure, user: session.user ?? null };
    for (const { address: to } of rcptTo) {
      const mail = await readMail({ ...arrival, envelope: { from: mailFrom ? mailFrom.address : "", to } });
      this.mails.push(mail);
      this.onMail(mail);
    }
    this.innerServer.emit(MAIL_STORED);
  }

  /** Takes the next scripted fault if it applies to this step. */
  private takeScriptedFault(at: "greeting" | "sign-in"): SmtpFault | null {
    return this.scriptedFaults[0]?.at === at ? (this.scriptedFaults.shift() ?? null) : null;
  }

  private respond(
    { answer, afterMs = 0 }: SmtpFault,
    session: SMTPServerSession,
    callback: SmtpCallback,
  ): void {
    setTimeout(() => {
      if (answer === "drop") this.clientSockets.get(session.remotePort)?.destroy();
      else if (answer !== "silent") {
        callback(Object.assign(new Error(answer.text), { responseCode: answer.code }));
      }
    }, afterMs);
  }
}

type SmtpCallback = (error?: Error | null) => void;

const MAIL_STORED = "loyalty-kit:taken";
