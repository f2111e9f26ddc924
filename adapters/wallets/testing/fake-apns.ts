import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { FakePki } from "./pki.js";

/** What the push service does instead of taking a push. */
export type PushFault =
  | { readonly status: number; readonly reason?: string; readonly timestamp?: number }
  | "goaway"
  | "drop"
  /** The push is never answered; its connection goes on. */
  | "silent";

/**
 * Which connections carry nothing any more, and say nothing of it: those that are open, as when a network forgets them, or
 * those that are made from now on, which are taken and never answered.
 */
export type SilentConnections = "open" | "new";

/** A push that was taken. */
export interface TakenPush {
  readonly pushToken: string;
  readonly topic: string;
}

/** Apple's push service, on this machine: it takes HTTP/2 from who shows a certificate of the PKI. */
export interface FakeApns {
  readonly url: string;
  /** The pushes that were taken. */
  readonly pushes: readonly TakenPush[];
  /** Told of each. */
  onPush: (push: TakenPush) => void;
  /** What happens to the next pushes, one after the other; `null` takes one. */
  script(...faults: readonly (PushFault | null)[]): void;
  /** What happens to every push to a token, such as a 410. `null` ends it. */
  fail(pushToken: string, fault: PushFault | null): void;
  /** Has connections fall silent. `null` ends that for those that are made from now on. */
  hush(which: SilentConnections | null): void;
  /** How many connections were made. */
  readonly connections: number;
  /** How many of the pushes wait for an answer that never comes. */
  readonly unanswered: number;
  close(): Promise<void>;
}

export async function createFakeApns(pki: FakePki): Promise<FakeApns> {
  const pushes: TakenPush[] = [];
  const scripted: (PushFault | null)[] = [];
  const failing = new Map<string, PushFault>();
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({
    cert: pki.server.certificate,
    key: pki.server.key,
    ca: [pki.root, pki.wwdr],
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  /** What stands before the server, and may carry nothing. */
  const wires = new Set<Socket>();
  let connections = 0;
  let isNewSilent = false;
  let unanswered = 0;
  const front = createServer((socket) => {
    connections += 1;
    wires.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => wires.delete(socket));
    if (isNewSilent) return;
    const { port } = server.address() as AddressInfo;
    const behind = connect(port, "127.0.0.1");
    behind.on("error", () => socket.destroy());
    behind.on("close", () => socket.destroy());
    socket.on("close", () => behind.destroy());
    socket.pipe(behind).pipe(socket);
  });
  const apns: FakeApns = {
    get url() {
      const { port } = front.address() as AddressInfo;
      return `https://localhost:${port}`;
    },
    get connections() {
      return connections;
    },
    get unanswered() {
      return unanswered;
    },
    hush(which) {
      isNewSilent = which === "new";
      if (which !== "open") return;
      for (const wire of wires) {
        wire.unpipe();
        wire.removeAllListeners("data");
        wire.pause();
      }
    },
    pushes,
    onPush: () => {},
    script: (...faults) => void scripted.push(...faults),
    fail(pushToken, fault) {
      if (fault === null) failing.delete(pushToken);
      else failing.set(pushToken, fault);
    },
    close: () =>
      new Promise((resolve) => {
        front.close(() => server.close(() => resolve()));
        for (const session of sessions) session.destroy();
        for (const wire of wires) wire.destroy();
      }),
  };
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    const path = String(headers[":path"]);
    const pushToken = path.replace("/3/device/", "");
    const topic = String(headers["apns-topic"] ?? "");
    let body = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      body += chunk;
    });
    stream.on("end", () => {
      const fault = failing.get(pushToken) ?? scripted.shift() ?? wrong(path, topic, body, pki);
      if (fault === "silent") {
        unanswered += 1;
        stream.on("close", () => {
          unanswered -= 1;
        });
        return;
      }
      if (fault !== null) return refuse(stream, fault);
      const push = { pushToken, topic };
      pushes.push(push);
      stream.respond({ ":status": 200 });
      stream.end();
      apns.onPush(push);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  return apns;
}

/** What Apple refuses by itself. */
function wrong(path: string, topic: string, body: string, { passTypeId }: FakePki): PushFault | null {
  if (!path.startsWith("/3/device/")) return { status: 404, reason: "BadPath" };
  if (topic !== passTypeId) return { status: 400, reason: "TopicDisallowed" };
  return body === "{}" ? null : { status: 400, reason: "PayloadEmpty" };
}

function refuse(stream: ServerHttp2Stream, fault: Exclude<PushFault, "silent">): void {
  if (fault === "drop") return void stream.session?.destroy();
  if (fault === "goaway") {
    stream.session?.goaway();
    stream.close();
    return;
  }
  const { status, ...said } = fault;
  stream.respond({ ":status": status, "content-type": "application/json" });
  stream.end(JSON.stringify(said));
}
