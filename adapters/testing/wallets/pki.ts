import { certificateFor, type KeyAndCertificate } from "./certificates.js";

/** Certificates like Apple's, with a root that only the tests trust. */
export interface FakePki {
  /** The root's certificate, in PEM. */
  readonly root: string;
  /** The certificate of the intermediate, G4, in PEM. */
  readonly wwdr: string;
  readonly passTypeId: string;
  readonly teamId: string;
  /** A certificate of a pass type, with its key. */
  readonly pass: KeyAndCertificate;
  /** A certificate of the same pass type that has expired. */
  readonly expired: KeyAndCertificate;
  /** A certificate of the same pass type from another issuer. */
  readonly foreign: KeyAndCertificate;
  /** The certificate of a server on this machine. */
  readonly server: KeyAndCertificate;
}

export interface FakePkiOptions {
  readonly passTypeId?: string;
  readonly teamId?: string;
  /** The current time. Default: the system's clock. */
  readonly now?: number;
  /** Days before and after now in which certificates are valid, until 2049 at most. Default: 400. */
  readonly days?: number;
}

const DAY_MS = 86_400_000;

/** Later times have another form in certificates. */
const LATEST = Date.UTC(2049, 11, 31);

/**
 * Makes certificates for tests. Each key takes some time: share them. Those that few tests want are made when they are asked for.
 *
 * @example
 * import { createFakePki } from "loyalty-kit/testing";
 *
 * const { pass, root } = createFakePki({ passTypeId: "pass.example.cafe", days: 30 });
 */
export function createFakePki(options: FakePkiOptions = {}): FakePki {
  const { passTypeId = "pass.test.loyalty", teamId = "TEAM123456", now = Date.now(), days = 400 } = options;
  const validity = { from: now - days * DAY_MS, until: Math.min(now + days * DAY_MS, LATEST) };
  const rootName = { O: "Fake Apple", CN: "Fake Root CA" };
  const wwdrName = { O: "Fake Apple", OU: "G4", CN: "Fake Worldwide Developer Relations" };
  const passName = { UID: passTypeId, CN: `Pass Type ID: ${passTypeId}`, OU: teamId, O: "Shop" };
  const root = certificateFor({ subject: rootName, ...validity, isAuthority: true });
  const ofRoot = { ...root, subject: rootName };
  const wwdr = certificateFor({ subject: wwdrName, issuer: ofRoot, ...validity, isAuthority: true });
  const issuer = { ...wwdr, subject: wwdrName };
  const pass = certificateFor({ subject: passName, issuer, ...validity });
  const others = lazily({
    expired: () => certificateFor({ subject: passName, issuer, from: validity.from, until: now - DAY_MS }),
    foreign: () => {
      const stranger = certificateFor({ subject: wwdrName, ...validity, isAuthority: true });
      return certificateFor({ subject: passName, issuer: { ...stranger, subject: wwdrName }, ...validity });
    },
    server: () =>
      certificateFor({ subject: { CN: "localhost" }, issuer: ofRoot, ...validity, isOfLoopback: true }),
  });
  return {
    ...{ root: root.certificate, wwdr: wwdr.certificate, passTypeId, teamId, pass },
    get expired() {
      return others("expired");
    },
    get foreign() {
      return others("foreign");
    },
    get server() {
      return others("server");
    },
  };
}

/** Returns what makes each value when it is first asked for. */
function lazily<Name extends string, Value>(
  makers: Readonly<Record<Name, () => Value>>,
): (name: Name) => Value {
  const made = new Map<Name, Value>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const value = makers[name]();
    made.set(name, value);
    return value;
  };
}
