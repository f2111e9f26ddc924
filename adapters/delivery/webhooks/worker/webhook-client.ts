import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import type { Clock } from "../../../../src/base/values/clock.js";
import { retryAfterMs } from "../../../../src/base/values/http-date.js";
import { MAX_STORED_CHARACTERS, type SendWebhook, toStorableText } from "./attempt.js";

/** Options for {@link createVettedConnector}: how to look up addresses, and which addresses to allow. */
export interface ConnectorOptions {
  /** Returns whether connections to an address are allowed. The address can be in any form that sockets accept. */
  readonly isAllowed: (address: string) => boolean;
  /** Looks up all of a host name's addresses. If there are none, rejects or resolves to an empty array. */
  readonly resolveAddresses: (name: string) => Promise<readonly string[]>;
  /** PEM-encoded certificate authorities to trust instead of the default ones. */
  readonly ca?: string;
}

/**
 * Creates a connector that connects only to allowed addresses. It connects to the same addresses that it checked instead of looking
 * the name up again, so an attacker can't bypass the check by changing the DNS record after the check.
 */
function createVettedConnector({
  isAllowed,
  resolveAddresses,
  ca,
}: ConnectorOptions): buildConnector.connector {
  const lookup: LookupFunction = (name, { all }, callback) => {
    listAllowedAddresses(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(refusedAddressError(), "");
        else if (all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      () => callback(refusedAddressError(), ""),
    );
  };

  async function listAllowedAddresses(name: string) {
    const addresses = await resolveAddresses(name);
    return addresses.filter(isAllowed).map((address) => ({ address, family: isIP(address) }));
  }

  const connect = buildConnector({
    lookup,
    autoSelectFamily: true,
    // Set explicitly, so that no environment variable can turn it off.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  });
  return (options, callback) => {
    // An IP address isn't looked up, so it is checked here.
    if (isIP(options.hostname) !== 0 && !isAllowed(options.hostname)) callback(refusedAddressError(), null);
    else connect(options, callback);
  };
}

/** Returns the same error regardless of what the lookup found, so that endpoint owners can't learn names in the private network. */
function refusedAddressError(): Error {
  return new Error("the host has no public IP address");
}

/** Maximum response size, in bytes. If a receiver sends more, its connection is closed. */
const MAX_RESPONSE_BYTES = 16_384;

/** Sends webhooks directly over its own HTTP connections, never through a proxy and only to allowed addresses. */
export class WebhookClient {
  private readonly agent: Agent;

  constructor(
    private readonly clock: Clock,
    options: ConnectorOptions,
  ) {
    this.agent = new Agent({ connect: createVettedConnector(options) });
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
    const { "retry-after": retryAfterHeader } = response.headers;
    return {
      status: response.statusCode,
      retryAfter: typeof retryAfterHeader === "string" ? retryAfterMs(retryAfterHeader, this.clock()) : null,
      answer: await readBeginning(response.body),
    };
  };

  /** Closes all connections. In-flight requests fail. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}

/** Reads the beginning of a body. Stops after {@link MAX_RESPONSE_BYTES}. */
async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (text.length < MAX_STORED_CHARACTERS) text += decoder.decode(chunk, { stream: true });
    if (length > MAX_RESPONSE_BYTES) break;
  }
  return toStorableText(text);
}

/**
 * Looks up all of a host name's addresses in DNS and returns them, IPv4 addresses first. Doesn't use the operating system's
 * resolver, because an unresponsive name server would block one of Node.js's few worker threads until the lookup timed out. File
 * access and other lookups need these threads too.
 * @throws if the name has no address.
 */
export async function lookUpAddresses(name: string): Promise<readonly string[]> {
  // Must not be looked up in DNS (RFC 6761, section 6.3).
  if (/(?:^|\.)localhost\.?$/i.test(name)) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  if (addresses.length === 0) throw new Error("the host name couldn't be resolved");
  return addresses;
}
