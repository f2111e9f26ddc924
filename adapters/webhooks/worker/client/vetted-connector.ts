import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";

/** Which addresses may be connected to, and how they are found. */
export interface Vetting {
  /** The rule for addresses, in the forms in which sockets take them. */
  readonly isAllowed: (address: string) => boolean;
  /** All addresses of a name. Rejects, or resolves to none, when it has none. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Certificates to trust instead of the usual ones, in PEM. */
  readonly ca?: string;
}

/**
 * Connects to allowed addresses only. What a name leads to is checked between the look-up and the connection, which
 * goes to the very address that was checked: a name that leads elsewhere at the next look-up gains nothing.
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
    // Said, so that no environment variable turns it off.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  });
  return (options, callback) => {
    // Nothing is looked up for an address.
    if (isIP(options.hostname) !== 0 && !isAllowed(options.hostname)) callback(refused(), null);
    else connect(options, callback);
  };
}

/**
 * Says nothing of what was found, nor whether anything was: names of a private network are none of the endpoint's owner's
 * business.
 */
function refused(): Error {
  return new Error("the host has no public address");
}
