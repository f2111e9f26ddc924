import { type ClientHttp2Session, connect, constants } from "node:http2";
import type { AppleOptions } from "./identity.js";
import { pemIn } from "./identity.js";

/** Apple Push Notification service. */
const SERVICE = "https://api.push.apple.com";

/** How long an answer may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** How much of an answer is read. */
const MAX_ANSWER = 4_096;

/** What the push service said. */
export interface PushAnswer {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Apple's word for a refusal, or why there was no answer. */
  readonly reason: string;
  /** Since when the token is dead, in milliseconds since the Unix epoch, where a 410 says so. */
  readonly deadSince: number | null;
}

/** Sends pushes over one HTTP/2 connection that shows the certificate of the passes. */
export class PushClient {
  private session: ClientHttp2Session | null = null;
  private underWay = 0;
  private readonly url: string;

  constructor(
    private readonly options: AppleOptions,
    private readonly passTypeId: string,
  ) {
    this.url = options.pushUrl ?? SERVICE;
  }

  /** Tells a phone that passes have changed. What goes wrong is an answer of the status 0. */
  async push(pushToken: string): Promise<PushAnswer> {
    this.underWay += 1;
    try {
      return await this.sent(pushToken);
    } finally {
      this.underWay -= 1;
      // A connection that nothing goes over keeps no process alive.
      if (this.underWay === 0) this.session?.unref();
    }
  }

  private sent(pushToken: string): Promise<PushAnswer> {
    return new Promise((resolve) => {
      let status = 0;
      let body = "";
      const failed = (error: unknown) =>
        resolve({ status: 0, reason: error instanceof Error ? error.message : "no answer", deadSince: null });
      try {
        const stream = this.connected().request({
          ":method": "POST",
          ":path": `/3/device/${pushToken}`,
          "apns-topic": this.passTypeId,
          "apns-push-type": "background",
          "apns-priority": "5",
          "content-type": "application/json",
        });
        stream.setEncoding("utf8");
        stream.setTimeout(TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
        stream.on("response", (headers) => {
          status = Number(headers[":status"]);
        });
        stream.on("data", (chunk: string) => {
          if (body.length < MAX_ANSWER) body += chunk;
        });
        stream.on("error", failed);
        stream.on("close", () => resolve(answerOf(status, body)));
        stream.end("{}");
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Closes the connection. What is under way ends without an answer. */
  close(): void {
    this.session?.destroy();
    this.session = null;
  }

  private connected(): ClientHttp2Session {
    if (this.session !== null && !this.session.closed && !this.session.destroyed) {
      this.session.ref();
      return this.session;
    }
    const { certificate, key, passphrase, pushCa } = this.options;
    const session = connect(this.url, {
      cert: pemIn(certificate, "certificate"),
      key: pemIn(key, "key"),
      ...(passphrase !== undefined && { passphrase }),
      ...(pushCa !== undefined && { ca: pemIn(pushCa, "push CA") }),
    });
    const forget = () => {
      if (this.session === session) this.session = null;
    };
    session.on("error", forget);
    session.on("close", forget);
    // The service closes it after what is under way; the next push goes over another one.
    session.on("goaway", forget);
    this.session = session;
    return session;
  }
}

function answerOf(status: number, body: string): PushAnswer {
  if (status === 0) return { status, reason: "the connection was closed without an answer", deadSince: null };
  const { reason, timestamp } = refusalIn(body);
  return { status, reason, deadSince: timestamp };
}

function refusalIn(body: string): { reason: string; timestamp: number | null } {
  try {
    const { reason, timestamp }: { reason?: unknown; timestamp?: unknown } = JSON.parse(body || "{}");
    return {
      reason: typeof reason === "string" ? reason.slice(0, 100) : "",
      timestamp: typeof timestamp === "number" ? timestamp : null,
    };
  } catch {
    return { reason: "", timestamp: null };
  }
}
