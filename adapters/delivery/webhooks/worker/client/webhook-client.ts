import { Agent } from "undici";
import type { Clock } from "../../../../../src/base/values/clock.js";
import { retryAfterMs } from "../../../../../src/base/values/http-date.js";
import { MAX_STORED_CHARACTERS, type SendWebhook, toStorableText } from "./attempt.js";
import { type Vetting, vettedConnector } from "./vetted-connector.js";

/** Maximum response size, in bytes. If a receiver sends more, its connection is closed. */
const MAX_BYTES = 16_384;

/** Sends webhooks directly over its own HTTP connections, never through a proxy and only to allowed addresses. */
export class WebhookClient {
  private readonly agent: Agent;

  constructor(
    private readonly clock: Clock,
    vetting: Vetting,
  ) {
    this.agent = new Agent({ connect: vettedConnector(vetting) });
  }

  /** Sends a request. Returns redirects like any other response instead of following them. */
  readonly send: SendWebhook = async ({ url, headers, body, signal }) => {
    const { origin, pathname, search } = new URL(url);
    const response = await this.agent.request({
      origin,
      path: `${pathname}${search}`,
      method: "POST",
      headers,
      body,
      signal,
    });
    const { "retry-after": wait } = response.headers;
    return {
      status: response.statusCode,
      retryAfter: typeof wait === "string" ? retryAfterMs(wait, this.clock()) : null,
      answer: await readBeginning(response.body),
    };
  };

  /** Closes all connections. In-flight requests fail. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}

/** Reads the beginning of a body. Stops after {@link MAX_BYTES}. */
async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (text.length < MAX_STORED_CHARACTERS) text += decoder.decode(chunk, { stream: true });
    if (length > MAX_BYTES) break;
  }
  return toStorableText(text);
}
