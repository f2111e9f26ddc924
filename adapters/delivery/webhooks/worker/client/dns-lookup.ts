import { Resolver } from "node:dns/promises";

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
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw new Error("the host name couldn't be resolved");
  return addresses;
}
