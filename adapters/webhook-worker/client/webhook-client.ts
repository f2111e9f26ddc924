import { Agent } from "undici";
import type { Clock } from "../../../src/values/clock.js";
import { beginningOf } from "./answer-text.js";
import { retryAfterMs } from "./retry-after.js";
import type { Send } from "./send.js";
import { type Vetting, vettedConnector } from "./vetted-connector.js";

/** Sends webhooks over HTTP connections of its own, without any proxy, and to allowed addresses only. */
export class WebhookClient {
  private readonly agent: Agent;

  constructor(
    private readonly clock: Clock,
    vetting: Vetting,
  ) {
    this.agent = new Agent({ connect: vettedConnector(vetting) });
  }

  /** A redirect is an answer like any other, and not followed. */
  readonly send: Send = async ({ url, headers, body, signal }) => {
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
      answer: await beginningOf(response.body),
    };
  };

  /** Closes the connections. What is still under way fails. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}
