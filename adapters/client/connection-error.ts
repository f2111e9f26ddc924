/**
 * The service did not answer, or something else did in its place. After a call that changes something it is not known
 * whether the change was made.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  /** @param status of the answer that is none of the interface; `null` when there was none, or it broke off. */
  constructor(
    message: string,
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
