import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";

/** The rule for allowed addresses, and how addresses are looked up. */
export interface Vetting {
  /** Returns whether an address, in any form that sockets accept, may be connected to. */
  readonly isAllowed: (address: string) => boolean;
  /** Returns all of a name's addresses. Rejects or returns an empty list if there are none. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Trusted certificates in PEM, in place of the default ones. */
  readonly ca?: string;
}

/**
 * Creates a connector that connects only to allowed addresses. It checks a name's addresses after the lookup and connects to
 * exactly the address it checked, so an attacker gains nothing by changing the name's address afterward.
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

/** Returns the same error whatever the lookup found: names in a private network are none of the endpoint owner's business. */
function refused(): Error {
  return new Error("the host has no public address");
}
