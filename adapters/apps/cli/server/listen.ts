import type { Server } from "node:http";
import { isIPv6 } from "node:net";
import { isLoopbackLink } from "../../../../src/base/values/short-link.js";
import { parseUrl } from "../../../../src/base/values/url.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Maximum number of connections waiting to be accepted. Beyond it, the system drops new connections, and their clients retry after
 * a second. With Node's default of 511, a few hundred connections from one client did that to all other clients. The system may
 * impose a lower limit (`net.core.somaxconn` on Linux, 4,096 by default).
 */
const BACKLOG = 4_096;

/**
 * Starts listening on an address.
 * @param address the host and port. Port 0 selects a free port.
 * @returns the server's actual address.
 * @throws {CommandError} if the server can't listen on the address. The message says why.
 */
export async function listen(server: Server, { host, port }: Address): Promise<Address> {
  await new Promise<void>((resolve, reject) => {
    const handleError = (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(`can't listen on ${host} port ${port}: ${formatReason(error)}`, FAILURE_CODE, {
          cause: error,
        }),
      );
    server.once("error", handleError);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", handleError);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { host: address.address, port: address.port };
}

/** Returns a server's HTTP URL, without a trailing slash. */
export function formatUrl({ host, port }: Address): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the address that a client on this machine can use to reach the server. It differs from the server's own address if the
 * server listens on all network interfaces.
 */
export function toLocalAddress({ host, port }: Address): Address {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}

function formatReason({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case "EADDRINUSE":
      return "the port is already in use; choose a different one with --port";
    case "EACCES":
      return "this port requires elevated privileges; choose one above 1023 with --port";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "this machine doesn't have that address; choose a different one with --host";
    default:
      return message;
  }
}

/**
 * Returns the URL that browsers and phones use to reach the server, without a trailing slash. Defaults to the server's own address.
 * Returns `null` if `configuredUrl` is `undefined` and the port isn't known yet.
 */
export function buildPublicUrl(configuredUrl: string | undefined, address: Address): string | null {
  if (configuredUrl !== undefined) return configuredUrl.replace(/\/+$/, "");
  return address.port === 0 ? null : formatUrl(toLocalAddress(address));
}

/**
 * Returns the origin where staff sign in with passkeys, or `null` if passkeys are disabled.
 * @throws {CommandError} if passkeys are enabled but there is no public URL.
 */
export function getPasskeyOrigin({
  passkeys,
  publicUrl,
}: {
  readonly passkeys: boolean;
  readonly publicUrl?: string | undefined;
}): string | null {
  if (!passkeys) return null;
  if (publicUrl === undefined)
    throw new CommandError("--passkeys also requires --public-url", USAGE_ERROR_CODE);
  return parseUrl(publicUrl)?.origin ?? publicUrl;
}

/**
 * Explains why short links with this base URL won't work on customers' phones. Returns the base URL and the reason as text for a
 * warning, or `null` if the links might work.
 */
export function describeUselessLinkBase(shortLinkBase: string | undefined): string | null {
  if (shortLinkBase === undefined) return "https://pass.invalid, which doesn't exist";
  return isLoopbackLink(shortLinkBase) ? `${shortLinkBase}, which works only on this machine` : null;
}
