import { DAY_MS } from "../../../src/base/values/clock.js";
import { createCertificate, type KeyAndCertificate } from "./certificates.js";

/** Certificates like Apple's, issued under a root certificate that only tests trust. */
export interface FakePki {
  /** The root certificate that a test's phone must trust, in PEM format. */
  readonly root: string;
  /** The intermediate certificate, like Apple's G4, in PEM format. */
  readonly wwdr: string;
  /** The pass type identifier in the certificates. */
  readonly passTypeId: string;
  /** The Apple Developer team ID in the certificates. */
  readonly teamId: string;
  /** A valid certificate for the pass type, with its key. */
  readonly pass: KeyAndCertificate;
  /** An expired certificate for the same pass type, with its key. */
  readonly expired: KeyAndCertificate;
  /** A certificate for the same pass type from an issuer that phones don't trust, with its key. */
  readonly foreign: KeyAndCertificate;
  /** A certificate for a TLS server on a loopback address, with its key. */
  readonly server: KeyAndCertificate;
}

export interface FakePkiOptions {
  /** The pass type identifier to put in the certificates. Default: `pass.test.loyalty`. */
  readonly passTypeId?: string;
  /** The Apple Developer team ID to put in the certificates. Default: `TEAM123456`. */
  readonly teamId?: string;
  /** The midpoint of the certificates' validity period, in milliseconds since the Unix epoch. Default: the current system time. */
  readonly now?: number;
  /** How many days before and after `now` the certificates are valid. Validity never extends beyond 2049. Default: 400. */
  readonly days?: number;
}

/** Certificates use a different date format for later times. */
const MAX_VALID_UNTIL = Date.UTC(2049, 11, 31);

/**
 * Creates certificates for tests. Generating keys takes time, so share the result between tests. Certificates that tests rarely
 * need are created on first use.
 *
 * @example
 * import { createFakePki } from "loyalty-kit/testing";
 *
 * const { pass, root } = createFakePki({ passTypeId: "pass.example.cafe", days: 30 });
 */
export function createFakePki(options: FakePkiOptions = {}): FakePki {
  const { passTypeId = "pass.test.loyalty", teamId = "TEAM123456", now = Date.now(), days = 400 } = options;
  const validity = { from: now - days * DAY_MS, until: Math.min(now + days * DAY_MS, MAX_VALID_UNTIL) };
  const rootName = { O: "Fake Apple", CN: "Fake Root CA" };
  const wwdrName = { O: "Fake Apple", OU: "G4", CN: "Fake Worldwide Developer Relations" };
  const passName = { UID: passTypeId, CN: `Pass Type ID: ${passTypeId}`, OU: teamId, O: "Shop" };
  const root = createCertificate({ subject: rootName, ...validity, isAuthority: true });
  const rootIssuer = { ...root, subject: rootName };
  const wwdr = createCertificate({ subject: wwdrName, issuer: rootIssuer, ...validity, isAuthority: true });
  const issuer = { ...wwdr, subject: wwdrName };
  const pass = createCertificate({ subject: passName, issuer, ...validity });
  const createOther = memoizeByName({
    expired: () => createCertificate({ subject: passName, issuer, from: validity.from, until: now - DAY_MS }),
    foreign: () => {
      const foreignAuthority = createCertificate({ subject: wwdrName, ...validity, isAuthority: true });
      return createCertificate({
        subject: passName,
        issuer: { ...foreignAuthority, subject: wwdrName },
        ...validity,
      });
    },
    server: () =>
      createCertificate({
        subject: { CN: "localhost" },
        issuer: rootIssuer,
        ...validity,
        isForLoopback: true,
      }),
  });
  return {
    ...{ root: root.certificate, wwdr: wwdr.certificate, passTypeId, teamId, pass },
    get expired() {
      return createOther("expired");
    },
    get foreign() {
      return createOther("foreign");
    },
    get server() {
      return createOther("server");
    },
  };
}

/** Returns a function that creates each value on first use and caches it. */
function memoizeByName<Name extends string, Value>(
  factories: Readonly<Record<Name, () => Value>>,
): (name: Name) => Value {
  const values = new Map<Name, Value>();
  return (name) => {
    const cached = values.get(name);
    if (cached !== undefined) return cached;
    const value = factories[name]();
    values.set(name, value);
    return value;
  };
}
