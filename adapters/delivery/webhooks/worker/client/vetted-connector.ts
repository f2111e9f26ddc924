import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";

/** The rules for looking up addresses and deciding which ones are allowed. */
export interface Vetting {
  /** Returns whether connecting to an address is allowed. The address may be in any form that sockets accept. */
  readonly isAllowed: (address: string) => boolean;
  /** Returns all of a name's addresses. If there are none, rejects or returns an empty list. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Trusted certificates in PEM format, which replace the default ones. */
  readonly ca?: string;
}

/**
 * Creates a connector that connects only to allowed addresses. It checks the addresses that the lookup returned and connects to
 * exactly the address it checked, so changing the DNS entry afterward gains an attacker nothing.
 */
export function vettedConnector({ isAllowed, addressesOf, ca }: Vetting): buildConnector.connector {
  const lookup: LookupFunction = (name, { all }, callback) => {
    allowedOf(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(refused(), "");
        else if (all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      () => callback(refused(), ""),
    );
  };

  async function allowedOf(name: string) {
    const addresses = await addressesOf(name);
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
    if (isIP(options.hostname) !== 0 && !isAllowed(options.hostname)) callback(refused(), null);
    else connect(options, callback);
  };
}

/** Returns the same error regardless of what the lookup found, so that endpoint owners can't learn names in the private network. */
function refused(): Error {
  return new Error("the host has no public address");
}
