import { certificateFor, type KeyAndCertificate } from "./certificates.js";

/** Certificates as Apple gives them, with a root of their own that nobody else trusts. */
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
  /** A certificate of the same pass type that somebody else issued. */
  readonly foreign: KeyAndCertificate;
  /** The certificate of a server on this machine. */
  readonly server: KeyAndCertificate;
}

export interface FakePkiOptions {
  readonly passTypeId?: string;
  readonly teamId?: string;
  /** The present; that of the system unless given. */
  readonly now?: number;
}

const DAY_MS = 86_400_000;

/** Makes certificates for tests. It takes about a second: share them. */
export function createFakePki(options: FakePkiOptions = {}): FakePki {
  const { passTypeId = "pass.test.loyalty", teamId = "TEAM123456", now = Date.now() } = options;
  const validity = { from: now - 400 * DAY_MS, until: now + 400 * DAY_MS };
  const rootName = { O: "Fake Apple", CN: "Fake Root CA" };
  const wwdrName = { O: "Fake Apple", OU: "G4", CN: "Fake Worldwide Developer Relations" };
  const passName = { UID: passTypeId, CN: `Pass Type ID: ${passTypeId}`, OU: teamId, O: "Shop" };
  const root = certificateFor({ subject: rootName, ...validity, isAuthority: true });
  const wwdr = certificateFor({
    subject: wwdrName,
    issuer: { ...root, subject: rootName },
    ...validity,
    isAuthority: true,
  });
  const stranger = certificateFor({ subject: wwdrName, ...validity, isAuthority: true });
  const issuer = { ...wwdr, subject: wwdrName };
  const past = { from: now - 400 * DAY_MS, until: now - DAY_MS };
  return {
    root: root.certificate,
    wwdr: wwdr.certificate,
    passTypeId,
    teamId,
    pass: certificateFor({ subject: passName, issuer, ...validity }),
    expired: certificateFor({ subject: passName, issuer, ...past }),
    foreign: certificateFor({ subject: passName, issuer: { ...stranger, subject: wwdrName }, ...validity }),
    server: certificateFor({
      subject: { CN: "localhost" },
      issuer: { ...root, subject: rootName },
      ...validity,
      isOfLoopback: true,
    }),
  };
}
