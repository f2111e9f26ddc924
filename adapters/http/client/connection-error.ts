/**
 * Thrown when the service doesn't respond, or when something else responds in its place. Any change that the call requested might
 * or might not have taken effect.
 * @example
 * import { ConnectionError, createClient } from "loyalty-kit/client";
 *
 * const cafe = createClient({ url: "http://localhost:3000", token: process.env.LOYALTY_TOKEN ?? "" });
 * const error = await cafe.tags.list().catch((thrown: unknown) => thrown);
 * if (error instanceof ConnectionError) console.error("No answer from the service", error.status);
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(
    message: string,
    /** The response's status if the response didn't come from the API, or `null` if there was no complete response. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
