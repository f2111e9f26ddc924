import {
  type ClientHttp2Session,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import { computeNextAttemptAt, type RandomSource } from "../../../../src/kernel/retries.js";
import type { WalletOutcome } from "../../../../src/storage/wallets.js";
import type { WalletBackend, WalletJob } from "../../../../src/wallets/wallet-backend.js";
import { toFields, tryParseJson } from "../json.js";
import {
  type Deliverer,
  type PlatformWallet,
  WALLET_RETRIES,
  type WalletContext,
} from "../wallet-platform.js";
import {
  type AppleIdentity,
  type AppleOptions,
  type PushResponse,
  readPem,
  type SendPush,
} from "./identity.js";
import { PassCache } from "./pass-cache.js";
import { AppleWebService, type LogDeviceLine } from "./web-service.js";

/**
 * Interval between checks of a connection while responses are pending, in milliseconds, and the number of silent checks after which
 * it is closed.
 */
const CHECK_INTERVAL_MS = 2_000;

const MAX_SILENT_CHECKS = 5;

/** Timeout for one response, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Maximum number of characters to read from a response body. */
const MAX_RESPONSE_LENGTH = 4_096;

/** Maximum number of pushes in flight, and an organization's share of the free slots. */
const MAX_CONCURRENT_PUSHES = 50;

const ORGANIZATION_SHARE = 0.75;

/** Reasons with which Apple permanently rejects a push token. */
const deadTokenReasons: readonly string[] = ["BadDeviceToken", "DeviceTokenNotForTopic"];

/** The URL of the Apple Push Notification service. */
const PUSH_SERVICE_URL = "https://api.push.apple.com";

/** Creates the Apple Wallet platform, which signs passes, serves them to phones, and pushes changes. */
export function createAppleWallet(
  context: WalletContext,
  options: AppleOptions,
  identity: AppleIdentity,
  onDeviceLog: LogDeviceLine,
): PlatformWallet {
  const { backend, base, pictures, drawings, onError } = context;
  const passOptions = { identity, webServiceUrl: `${base}/apple`, pictures, drawings };
  const passes = new PassCache(passOptions, backend.clock);
  const client = new PushClient(options, identity.passTypeId);
  const push = options.push ?? ((token: string) => client.push(token));
  const close = () => client.close();
  return {
    endpoints: new AppleWebService(context, passes, onDeviceLog).endpoints,
    deliverer: new PushDelivery(backend, push, onError, close),
    buildLink: (passId, linkToken) => `${base}/apple/passes/${passId}/${linkToken}.pkpass`,
  };
}

/**
 * Sends pushes to Apple over a single HTTP/2 connection, authenticated with the pass certificate. If the connection closes, the
 * next push opens a new one.
 */
export class PushClient {
  /** The open sessions. A session that Apple is closing stays until its running requests end. */
  private readonly sessions = new Set<PushSession>();
  private readonly url: string;

  constructor(
    private readonly options: AppleOptions,
    private readonly passTypeId: string,
  ) {
    this.url = options.pushUrl ?? PUSH_SERVICE_URL;
  }

  /** Sends a push to the device with this push token. If the request fails, resolves to a response with status 0. */
  async push(pushToken: string): Promise<PushResponse> {
    const headers = {
      ":path": `/3/device/${pushToken}`,
      "apns-topic": this.passTypeId,
      "apns-push-type": "background",
      "apns-priority": "5",
      "content-type": "application/json",
    };
    try {
      return pushResponse(await this.open().post(headers, "{}"));
    } catch (error) {
      return pushResponse({ status: 0, text: error instanceof Error ? error.message : "no answer" });
    }
  }

  /** Closes the connection. Pending pushes resolve to a response with status 0. */
  close(): void {
    for (const session of this.sessions) session.close();
  }

  private open(): PushSession {
    for (const openSession of this.sessions) if (openSession.isOpen) return openSession;
    const { certificate, key, passphrase, pushCa } = this.options;
    const options = {
      cert: readPem(certificate, "certificate"),
      key: readPem(key, "key"),
      ...(passphrase !== undefined && { passphrase }),
      ...(pushCa !== undefined && { ca: readPem(pushCa, "push CA") }),
    };
    const session = new PushSession(this.url, options, () => this.sessions.delete(session));
    this.sessions.add(session);
    return session;
  }
}

function pushResponse({ status, text }: StreamResponse): PushResponse {
  if (status === 0) return { status, reason: text, deadSince: null };
  const { reason, timestamp } = toFields(tryParseJson(text));
  return {
    status,
    reason: typeof reason === "string" ? reason.slice(0, 100) : "",
    deadSince: typeof timestamp === "number" ? timestamp : null,
  };
}

type PushResult = "settled" | "again";

/**
 * Sends pushes to phones whose passes have changed. Each push token receives a single push, no matter how many passes changed,
 * because phones throttle pushes per pass type and request all changed passes after any push.
 */
export class PushDelivery implements Deliverer {
  readonly platform = "apple";
  private readonly slots = new FairSemaphore(MAX_CONCURRENT_PUSHES, ORGANIZATION_SHARE);

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "devices">,
    private readonly push: SendPush,
    private readonly onError: ErrorListener,
    readonly close: () => void,
    private readonly random: RandomSource = Math.random,
  ) {}

  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[] {
    const pushes = new Map<string, Promise<PushResult>>();
    const pushOnce = (organizationId: string, token: string) => {
      const result = pushes.get(token) ?? this.slots.run(organizationId, () => this.send(token));
      pushes.set(token, result);
      return result;
    };
    return jobs.map(async (job) => {
      const results = await Promise.all(
        job.devices.map(({ pushToken }) => pushToken && pushOnce(job.organizationId, pushToken)),
      );
      return this.computeOutcome(
        job,
        job.devices.filter((_, at) => results[at] !== "again"),
      );
    });
  }

  private async send(token: string): Promise<PushResult> {
    const startedAt = this.backend.clock();
    const { status, reason, deadSince } = await this.push(token);
    if (status === 200) return "settled";
    if (status === 410 || (status === 400 && deadTokenReasons.includes(reason))) {
      const isDead = await this.backend.devices.invalidatePushToken("apple", token, deadSince ?? startedAt);
      return isDead ? "settled" : "again";
    }
    if (status === 0 || status === 429 || status >= 500) return "again";
    this.onError(new Error(`Apple's push service rejected a push: ${status} ${reason}`));
    return "settled";
  }

  private computeOutcome(
    { delivery, devices }: WalletJob,
    finishedDevices: WalletJob["devices"],
  ): WalletOutcome {
    const { passId, revision, attempts } = delivery;
    const deviceIds = finishedDevices.map(({ deviceId }) => deviceId);
    const nextAttemptAt =
      finishedDevices.length === devices.length
        ? null
        : computeNextAttemptAt(
            WALLET_RETRIES,
            { failures: attempts + 1, now: this.backend.clock() },
            this.random,
          );
    return { passId, revision, deviceIds, nextAttemptAt };
  }
}

/** An unparsed HTTP response. Its status is 0 if there was no response. */
interface StreamResponse {
  readonly status: number;
  /** The response body. If the status is 0, the reason why there was no response. */
  readonly text: string;
}

/**
 * An HTTP/2 connection that detects dead peers. It sends PINGs while responses are pending. If it receives nothing for ten seconds,
 * it assumes that the peer is unreachable and closes itself. If the peer is alive but a single response takes more than ten
 * seconds, only that request fails.
 */
class PushSession {
  private readonly session: ClientHttp2Session;
  private pendingRequests = 0;
  private isGoingAway = false;
  private hasReceivedData = false;
  private silentChecks = 0;
  private checkTimer: NodeJS.Timeout | null = null;

  /** @param onClose a callback that is called once, when the connection is closed and no responses are pending. */
  constructor(url: string, options: SecureClientSessionOptions, onClose: () => void) {
    const session = connect(url, options);
    const noteActivity = () => {
      this.hasReceivedData = true;
    };
    session.on("connect", noteActivity);
    session.on("error", () => {});
    session.on("close", () => {
      this.stopChecks();
      onClose();
    });
    // The service closes the connection after the running requests.
    session.on("goaway", () => {
      this.isGoingAway = true;
    });
    this.session = session;
  }

  get isOpen(): boolean {
    return !this.isGoingAway && !this.session.closed && !this.session.destroyed;
  }

  /** Sends a POST request. If the request fails, resolves to a response with status 0. */
  async post(headers: OutgoingHttpHeaders, body: string): Promise<StreamResponse> {
    this.begin();
    try {
      return await this.request(headers, body);
    } catch (error) {
      return createNoResponse(error);
    } finally {
      this.end();
    }
  }

  /** Closes the connection. Pending requests resolve to a response with status 0. */
  close(): void {
    this.session.destroy();
  }

  private request(headers: OutgoingHttpHeaders, body: string): Promise<StreamResponse> {
    return new Promise((resolve) => {
      let status = 0;
      let text = "";
      const stream = this.session.request({ ":method": "POST", ...headers });
      const timer = setTimeout(() => {
        finish(createNoResponse(new Error("the push service didn't respond in time")));
        stream.close(constants.NGHTTP2_CANCEL);
      }, TIMEOUT_MS);
      const finish = (response: StreamResponse) => {
        clearTimeout(timer);
        resolve(response);
      };
      stream.setEncoding("utf8");
      stream.on("response", (responseHeaders) => {
        this.hasReceivedData = true;
        status = Number(responseHeaders[":status"]);
      });
      stream.on("data", (chunk: string) => {
        if (text.length < MAX_RESPONSE_LENGTH) text += chunk;
      });
      stream.on("error", (error) => finish(createNoResponse(error)));
      stream.on("close", () => finish(status === 0 ? createNoResponse(null) : { status, text }));
      stream.end(body);
    });
  }

  private begin(): void {
    this.pendingRequests += 1;
    if (this.pendingRequests > 1) return;
    this.session.ref();
    this.hasReceivedData = false;
    this.silentChecks = 0;
    this.checkTimer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
  }

  private end(): void {
    this.pendingRequests -= 1;
    if (this.pendingRequests > 0) return;
    this.stopChecks();
    // An idle connection must not keep the process alive.
    this.session.unref();
  }

  private check(): void {
    this.silentChecks = this.hasReceivedData ? 0 : this.silentChecks + 1;
    this.hasReceivedData = false;
    if (this.silentChecks >= MAX_SILENT_CHECKS) {
      this.session.destroy(new Error("the connection says nothing"));
    } else if (this.silentChecks > 0 && !this.session.connecting && !this.session.destroyed) {
      this.session.ping((error) => {
        if (error === null) this.hasReceivedData = true;
      });
    }
  }

  private stopChecks(): void {
    if (this.checkTimer !== null) clearInterval(this.checkTimer);
    this.checkTimer = null;
  }
}

function createNoResponse(error: unknown): StreamResponse {
  const text = error instanceof Error ? error.message : "the connection was closed without a response";
  return { status: 0, text };
}
