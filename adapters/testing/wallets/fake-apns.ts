import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { FakePki } from "./pki.js";

/** A failure that the fake push service can simulate. */
export type PushFault =
  | {
      /** The HTTP status of Apple's error response, such as 410. */
      readonly status: number;
      /** Apple's reason in the response body, such as `Unregistered`. */
      readonly reason?: string;
      /** With status 410, the time at which the token became invalid, in milliseconds since the Unix epoch. */
      readonly timestamp?: number;
    }
  | "goaway"
  | "drop"
  /** The service never responds to the push, but the connection stays usable. */
  | "silent";

/**
 * Which connections go silent without an error. `open` affects the current connections, as a network failure would. `new` affects
 * future connections, which are accepted but receive no responses.
 */
export type SilentConnections = "open" | "new";

/** A push that the fake push service has accepted. */
export interface ReceivedPush {
  /** The push token of the device that the push was sent to. */
  readonly pushToken: string;
  /** The push's topic, which is the pass type identifier. */
  readonly topic: string;
}

/**
 * Starts a local fake of Apple's push service. By default, it accepts every push.
 * @example
 * import { createFakeApns, createFakePki } from "loyalty-kit/testing";
 *
 * const apns = await createFakeApns(createFakePki());
 * console.log(apns.url, apns.pushes.length);
 */
export async function createFakeApns(pki: FakePki): Promise<FakeApns> {
  const server = createSecureServer({
    cert: pki.server.certificate,
    key: pki.server.key,
    ca: [pki.root, pki.wwdr],
    requestCert: true,
    rejectUnauthorized: true,
  });
  const front = createServer();
  for (const each of [server, front]) {
    await new Promise<void>((resolve) => each.listen(0, "127.0.0.1", resolve));
  }
  return new FakeApns(server, front, pki);
}

/** A local fake of Apple's push service. It accepts HTTP/2 connections from clients that present a certificate from the PKI. */
export class FakeApns {
  /** The URL of the push service, to pass as the `pushUrl` option. */
  readonly url: string;
  /** The accepted pushes, in order. */
  readonly pushes: ReceivedPush[] = [];
  /** Called for each accepted push. Assign a function to observe pushes as they arrive. */
  onPush: (push: ReceivedPush) => void = () => {};
  /** The total number of connections that clients have made, including closed ones. */
  connections = 0;
  /** The number of pushes that were received but will never get a response. */
  unanswered = 0;
  private readonly scriptedFaults: (PushFault | null)[] = [];
  private readonly faultsByToken = new Map<string, PushFault>();
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly clientSockets = new Set<Socket>();
  private areNewConnectionsSilent = false;

  /**
   * @param front the server that accepts client connections and forwards them to `server`, except for those that must stay silent.
   */
  constructor(
    private readonly server: Http2SecureServer,
    private readonly front: Server,
    private readonly pki: FakePki,
  ) {
    this.url = `https://localhost:${(front.address() as AddressInfo).port}`;
    front.on("connection", (socket) => this.forward(socket));
    server.on("session", (session) => {
      this.sessions.add(session);
      session.on("close", () => this.sessions.delete(session));
      session.on("error", () => {});
    });
    server.on("stream", (stream, headers) => {
      let body = "";
      stream.on("error", () => {});
      stream.setEncoding("utf8");
      stream.on("data", (chunk: string) => {
        body += chunk;
      });
      stream.on("end", () => this.handlePush(stream, headers, body));
    });
  }

  /** Queues faults for the next pushes, in order, one per push. `null` lets a push succeed. */
  script(...faults: readonly (PushFault | null)[]): void {
    this.scriptedFaults.push(...faults);
  }

  /** Makes every push to a token fail with the given fault, for example with status 410. Pass `null` to stop the failures. */
  fail(pushToken: string, fault: PushFault | null): void {
    if (fault === null) this.faultsByToken.delete(pushToken);
    else this.faultsByToken.set(pushToken, fault);
  }

  /** Makes connections go silent. Pass `null` to make new connections respond again. */
  hush(selection: SilentConnections | null): void {
    this.areNewConnectionsSilent = selection === "new";
    if (selection !== "open") return;
    for (const wire of this.clientSockets) {
      wire.unpipe();
      wire.removeAllListeners("data");
      wire.pause();
    }
  }

  /** Stops the server and drops all of its connections. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.front.close(() => this.server.close(() => resolve()));
      for (const session of this.sessions) session.destroy();
      for (const wire of this.clientSockets) wire.destroy();
    });
  }

  private forward(socket: Socket): void {
    this.connections += 1;
    this.clientSockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.clientSockets.delete(socket));
    if (this.areNewConnectionsSilent) return;
    const { port } = this.server.address() as AddressInfo;
    const innerSocket = connect(port, "127.0.0.1");
    innerSocket.on("error", () => socket.destroy());
    innerSocket.on("close", () => socket.destroy());
    socket.on("close", () => innerSocket.destroy());
    socket.pipe(innerSocket).pipe(socket);
  }

  private handlePush(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string): void {
    const path = String(headers[":path"]);
    const push = { pushToken: path.replace("/3/device/", ""), topic: String(headers["apns-topic"] ?? "") };
    const fault =
      this.faultsByToken.get(push.pushToken) ??
      this.scriptedFaults.shift() ??
      findPushFault(path, push.topic, body, this.pki);
    if (fault === "silent") {
      this.unanswered += 1;
      stream.on("close", () => {
        this.unanswered -= 1;
      });
      return;
    }
    if (fault !== null) {
      sendFault(stream, fault);
      return;
    }
    this.pushes.push(push);
    stream.respond({ ":status": 200 });
    stream.end();
    this.onPush(push);
  }
}

/** Returns the error with which Apple would reject a push, or `null`. */
function findPushFault(path: string, topic: string, body: string, { passTypeId }: FakePki): PushFault | null {
  if (!path.startsWith("/3/device/")) return { status: 404, reason: "BadPath" };
  if (topic !== passTypeId) return { status: 400, reason: "TopicDisallowed" };
  return body === "{}" ? null : { status: 400, reason: "PayloadEmpty" };
}

function sendFault(stream: ServerHttp2Stream, fault: Exclude<PushFault, "silent">): void {
  if (fault === "drop") return void stream.session?.destroy();
  if (fault === "goaway") {
    stream.session?.goaway();
    stream.close();
    return;
  }
  const { status, ...reasonBody } = fault;
  stream.respond({ ":status": status, "content-type": "application/json" });
  stream.end(JSON.stringify(reasonBody));
}
