import {
  type ClientHttp2Session,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";

/**
 * Interval between checks of a connection while responses are pending, in milliseconds, and the number of silent checks after which
 * it is closed.
 */
const CHECK_MS = 2_000;
const SILENT_CHECKS = 5;

/** Timeout for one response, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Maximum number of characters to read from a response body. */
const MAX_ANSWER = 4_096;

/** An unparsed HTTP response. Its status is 0 if there was no response. */
export interface StreamResponse {
  readonly status: number;
  /** The response body. If the status is 0, the reason why there was no response. */
  readonly text: string;
}

/**
 * An HTTP/2 connection that detects dead peers. It sends PINGs while responses are pending. If it receives nothing for ten seconds,
 * it assumes that the peer is unreachable and closes itself. If the peer is alive but a single response takes more than ten
 * seconds, only that request fails.
 */
export class PushSession {
  private readonly session: ClientHttp2Session;
  private underWay = 0;
  private isLeaving = false;
  private hasHeard = false;
  private silentChecks = 0;
  private checks: NodeJS.Timeout | null = null;

  /** @param onClose a callback that is called once, when the connection is closed and no responses are pending. */
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
    // The service closes the connection after the running requests.
    session.on("goaway", () => {
      this.isLeaving = true;
    });
    this.session = session;
  }

  get isOpen(): boolean {
    return !this.isLeaving && !this.session.closed && !this.session.destroyed;
  }

  /** Sends a POST request. If the request fails, resolves to a response with status 0. */
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

  /** Closes the connection. Pending requests resolve to a response with status 0. */
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
    // An idle connection must not keep the process alive.
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
