import { toFields, tryParseJson } from "../json.js";
import { type AppleOptions, type PushResponse, readPem } from "./identity.js";
import { PushSession, type StreamResponse } from "./push-session.js";

/** The URL of the Apple Push Notification service. */
const SERVICE = "https://api.push.apple.com";

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
    this.url = options.pushUrl ?? SERVICE;
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
    for (const known of this.sessions) if (known.isOpen) return known;
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
