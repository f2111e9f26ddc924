/** What is thrown where a host has no transaction open: a change would be committed by itself. */
export function noTransaction(cause?: unknown): TypeError {
  return new TypeError("no transaction is open on this connection: it has ended, or none was begun", {
    cause,
  });
}
