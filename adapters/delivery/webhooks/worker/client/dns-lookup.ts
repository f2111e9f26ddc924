import { Resolver } from "node:dns/promises";

/**
 * Looks up all of a name's addresses in DNS and returns them, IPv4 first. Doesn't use the operating system's own lookup, because a
 * dead name server would block its thread, along with file access and other lookups, until the lookup times out.
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
