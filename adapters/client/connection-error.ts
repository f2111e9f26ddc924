/**
 * The service did not answer, or something else did in its place. After a call that changes something it is not known
 * whether the change was made.
 *
 * @example
 * import { ConnectionError, createClient } from "loyalty-kit/client";
 *
 * const cafe = createClient({ url: "http://localhost:3000", token: process.env.LOYALTY_TOKEN ?? "" });
 * const error = await cafe.tags.list().catch((thrown: unknown) => thrown);
 * if (error instanceof ConnectionError) console.error("No answer from the service", error.status);
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  /** @param status of the answer that is none of the interface; `null` if there was none, or it broke off. */
  constructor(
    message: string,
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
