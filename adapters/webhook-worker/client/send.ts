/** An HTTP request with the method POST. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborted when there is no more time for an answer. */
  readonly signal: AbortSignal;
}

/** What a receiver answered. */
export interface WebhookAnswer {
  readonly status: number;
  /** How long it asks to wait before the next request, in milliseconds; `null` when it does not. */
  readonly retryAfter: number | null;
  /** The first characters of its body. */
  readonly answer: string;
}

/** Sends a request. Rejects when there was no whole answer. */
export type Send = (request: WebhookRequest) => Promise<WebhookAnswer>;
