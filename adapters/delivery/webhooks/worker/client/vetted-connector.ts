import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";

/** Options for {@link vettedConnector}: how to look up addresses, and which addresses to allow. */
export interface Vetting {
  /** Returns whether connections to an address are allowed. The address can be in any form that sockets accept. */
  readonly isAllowed: (address: string) => boolean;
  /** Looks up all of a host name's addresses. If there are none, rejects or resolves to an empty array. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** PEM-encoded certificate authorities to trust instead of the default ones. */
  readonly ca?: string;
}

/**
 * Creates a connector that connects only to allowed addresses. It connects to the same addresses that it checked instead of looking
 * the name up again, so an attacker can't bypass the check by changing the DNS record after the check.
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
  return new Error("the host has no public IP address");
}
