import { Resolver } from "node:dns/promises";

/**
 * Returns all of a name's addresses in DNS, IPv4 first. The system's own lookup would block a thread until it gives up on a dead
 * name server, and hold up file access and other lookups behind it.
 * @throws if the name has no address.
 */
export async function lookUpAddresses(name: string): Promise<readonly string[]> {
  // Must not be looked up in DNS (RFC 6761, section 6.3).
  if (/(?:^|\.)localhost\.?$/i.test(name)) return ["127.0.0.1", "::1"];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length === 0) throw new Error("the host's name was not found");
  return addresses;
}
