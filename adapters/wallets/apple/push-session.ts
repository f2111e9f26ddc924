import {
  type ClientHttp2Session,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";

/** How often a connection is checked while responses are awaited, and after how many silent checks it is closed. */
const CHECK_MS = 2_000;
const SILENT_CHECKS = 5;

/** The time for one response. */
const TIMEOUT_MS = 10_000;

/** The rest of a response is not read. */
const MAX_ANSWER = 4_096;

/** An answer as it came; the status 0 without one. */
export interface StreamResponse {
  readonly status: number;
  /** The body; why there was no answer, with the status 0. */
  readonly text: string;
}

/**
 * One HTTP/2 connection. While responses are awaited, it must receive something, be it a response or the answer to a PING: it is
 * closed after ten seconds of silence, whether it was never accepted or lost its peer. A response that takes longer than ten
 * seconds ends its own request only.
 */
export class PushSession {
  private readonly session: ClientHttp2Session;
  private underWay = 0;
  private isLeaving = false;
  private hasHeard = false;
  private silentChecks = 0;
  private checks: NodeJS.Timeout | null = null;

  /** @param onClose called once, when no request can be made over it and none is awaited. */
  constructor(url: string, options: SecureClientSessionOptions, onClose: () => void) {
    const session = connect(url, options);
    const heard = () => {
      this.hasHeard = true;
    };
    session.on("connect", heard);
    session.on("error", () => {});
    session.on("close", () => {
      this.stopChecks();
      onClose();
    });
    // The service closes it after the running requests.
    session.on("goaway", () => {
      this.isLeaving = true;
    });
    this.session = session;
  }

  get isOpen(): boolean {
    return !this.isLeaving && !this.session.closed && !this.session.destroyed;
  }

  /** Posts a body. What goes wrong is an answer of the status 0. */
  async post(headers: OutgoingHttpHeaders, body: string): Promise<StreamResponse> {
    this.begin();
    try {
      return await this.answer(headers, body);
    } catch (error) {
      return noResponse(error);
    } finally {
      this.end();
    }
  }

  /** Ends running requests without a response. */
  close(): void {
    this.session.destroy();
  }

  private answer(headers: OutgoingHttpHeaders, body: string): Promise<StreamResponse> {
    return new Promise((resolve) => {
      let status = 0;
      let text = "";
      const stream = this.session.request({ ":method": "POST", ...headers });
      const timer = setTimeout(() => {
        answered(noResponse(new Error("there was no answer in time")));
        stream.close(constants.NGHTTP2_CANCEL);
      }, TIMEOUT_MS);
      const answered = (answer: StreamResponse) => {
        clearTimeout(timer);
        resolve(answer);
      };
      stream.setEncoding("utf8");
      stream.on("response", (answer) => {
        this.hasHeard = true;
        status = Number(answer[":status"]);
      });
      stream.on("data", (chunk: string) => {
        if (text.length < MAX_ANSWER) text += chunk;
      });
      stream.on("error", (error) => answered(noResponse(error)));
      stream.on("close", () => answered(status === 0 ? noResponse(null) : { status, text }));
      stream.end(body);
    });
  }

  private begin(): void {
    this.underWay += 1;
    if (this.underWay > 1) return;
    this.session.ref();
    this.hasHeard = false;
    this.silentChecks = 0;
    this.checks = setInterval(() => this.check(), CHECK_MS).unref();
  }

  private end(): void {
    this.underWay -= 1;
    if (this.underWay > 0) return;
    this.stopChecks();
    // A connection that nothing goes over keeps no process alive.
    this.session.unref();
  }

  private check(): void {
    this.silentChecks = this.hasHeard ? 0 : this.silentChecks + 1;
    this.hasHeard = false;
    if (this.silentChecks >= SILENT_CHECKS) {
      this.session.destroy(new Error("the connection says nothing"));
    } else if (this.silentChecks > 0 && !this.session.connecting && !this.session.destroyed) {
      this.session.ping((error) => {
        if (error === null) this.hasHeard = true;
      });
    }
  }

  private stopChecks(): void {
    if (this.checks !== null) clearInterval(this.checks);
    this.checks = null;
  }
}

function noResponse(error: unknown): StreamResponse {
  const text = error instanceof Error ? error.message : "the connection was closed without an answer";
  return { status: 0, text };
}
