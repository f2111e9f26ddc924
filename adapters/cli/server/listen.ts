import type { Server } from "node:http";
import { isIPv6 } from "node:net";
import { isLoopbackLink } from "../../../src/values/short-link.js";
import { parseUrl as parsedUrl } from "../../../src/values/url.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";

/** The address by which a server is reached. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Connections that may wait to be accepted. If more do, the system drops new ones, which retry a second later: with Node's 511, a
 * few hundred connections of one client did that to all others. The system may allow fewer (`net.core.somaxconn` of Linux, by
 * default 4,096).
 */
const BACKLOG = 4_096;

/**
 * Has a server listen.
 * @param port 0 takes a free one.
 * @returns the address that the server has got.
 * @throws {CommandError} saying why it can't have that one.
 */
export async function listen(server: Server, { host, port }: Address): Promise<Address> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(`can't listen on ${host} port ${port}: ${reason(error)}`, FAILURE_CODE, {
          cause: error,
        }),
      );
    server.once("error", failed);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off("error", failed);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { host: address.address, port: address.port };
}

/** The http URL of a server, without a trailing slash. */
export function formatUrl({ host, port }: Address): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The same server as seen from this machine: a server that listens on every address has none of its own. */
export function onThisMachine({ host, port }: Address): Address {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case "EADDRINUSE":
      return "the port is in use; choose another one with --port";
    case "EACCES":
      return "the port needs more rights; choose one above 1023 with --port";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "this machine doesn't have that address; choose another one with --host";
    default:
      return message;
  }
}

/**
 * The URL by which browsers and phones reach the server, without a trailing slash; its own address unless another is given.
 * @returns `null` if its port is still to be found.
 */
export function buildPublicUrl(given: string | undefined, place: Address): string | null {
  if (given !== undefined) return given.replace(/\/+$/, "");
  return place.port === 0 ? null : formatUrl(onThisMachine(place));
}

/** The origin at which people sign in by passkeys; `null` for no passkeys. @throws {CommandError} if it is not known. */
export function passkeyOrigin({
  passkeys,
  publicUrl,
}: {
  readonly passkeys: boolean;
  readonly publicUrl?: string | undefined;
}): string | null {
  if (!passkeys) return null;
  if (publicUrl === undefined) throw new CommandError("passkeys also need --public-url", USAGE_ERROR_CODE);
  return parsedUrl(publicUrl)?.origin ?? publicUrl;
}

/** A base of short links by which no customer's phone finds a card, with the reason; `null` for one by which it may. */
export function uselessLinkBase(shortLinkBase: string | undefined): string | null {
  if (shortLinkBase === undefined) return "https://pass.invalid, which leads nowhere";
  return isLoopbackLink(shortLinkBase) ? `${shortLinkBase}, which names the machine that opens it` : null;
}
