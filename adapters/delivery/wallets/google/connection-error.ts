/** Plain-language descriptions of Node's error codes. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "this machine can't resolve its name",
  EAI_AGAIN: "this machine can't look up names",
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  ETIMEDOUT: "it didn't accept the connection",
  UND_ERR_CONNECT_TIMEOUT: "it didn't accept the connection",
  EHOSTUNREACH: "there is no network route to it",
  ENETUNREACH: "there is no network route to it",
};

/**
 * Returns a human-readable explanation of why a server didn't respond.
 * @param error the error thrown by `fetch`.
 */
export function describeConnectionError(url: string, error: unknown): string {
  const { host } = new URL(url);
  return `${host} can't be reached: ${describeError(error)}`;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "it didn't respond";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "it didn't respond in time";
  const { cause } = error;
  // If no address of a host can be reached, there is one error per address.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (!(first instanceof Error)) return "it didn't respond";
  const code = "code" in first && typeof first.code === "string" ? first.code : "";
  return reasons[code] ?? `the connection fails (${(code || first.message).slice(0, 100)})`;
}
