import type { X509Certificate } from "node:crypto";
import type { WalletCertificate } from "../../../src/index.js";
import { error, type Finding, warning } from "../finding.js";
import type { AppleIdentity } from "./identity.js";

const DAY_MS = 86_400_000;
const WARNED_DAYS = 30;

/** What is wrong with Apple's certificates and key. */
export function appleFindings(identity: AppleIdentity, now: number): Finding[] {
  return [...fitFindings(identity), ...timeFindings(identity, now)];
}

/** Whether certificates and key belong together, which never changes. */
export function fitFindings({ certificate, intermediate, key }: AppleIdentity): Finding[] {
  const findings: Finding[] = [];
  if (key.asymmetricKeyType !== "rsa" || !certificate.checkPrivateKey(key)) {
    findings.push(
      error(
        "apple_key_mismatch",
        "Apple's key is not that of the certificate: take the key of the signing request",
      ),
    );
  }
  if (!certificate.checkIssued(intermediate) || !certificate.verify(intermediate.publicKey)) {
    findings.push(
      error(
        "apple_wwdr_mismatch",
        "Apple's intermediate certificate did not issue the certificate: take Worldwide Developer Relations G4",
      ),
    );
  }
  return findings;
}

/** Whether the certificates are good now, and for how long. */
export function timeFindings({ certificate, intermediate }: AppleIdentity, now: number): Finding[] {
  return [
    ...endFindings("apple_certificate", "Apple's certificate of the pass type", certificate, now),
    ...endFindings("apple_wwdr", "Apple's intermediate certificate", intermediate, now),
  ];
}

/** Apple's certificates that expire within 30 days. */
export function expiringCertificates(
  { certificate, intermediate, passTypeId }: AppleIdentity,
  now: number,
): WalletCertificate[] {
  const named: [X509Certificate, string][] = [
    [certificate, passTypeId],
    [intermediate, commonNameOf(intermediate)],
  ];
  return named
    .map(([{ validTo }, name]) => ({ name, end: Date.parse(validTo) }))
    .filter(({ end }) => end > now && end - now <= WARNED_DAYS * DAY_MS)
    .map(({ name, end }) => ({
      object: "wallet_certificate",
      platform: "apple",
      name,
      expiresAt: new Date(end).toISOString(),
    }));
}

function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject;
}

function endFindings(
  code: string,
  name: string,
  { validFrom, validTo }: X509Certificate,
  now: number,
): Finding[] {
  const end = Date.parse(validTo);
  const day = new Date(end).toISOString().slice(0, 10);
  if (end <= now) return [error(`${code}_expired`, `${name} expired on ${day}: get another one from Apple`)];
  if (Date.parse(validFrom) > now) return [error(`${code}_not_yet_valid`, `${name} is not valid yet`)];
  if (end - now > WARNED_DAYS * DAY_MS) return [];
  const days = Math.max(1, Math.ceil((end - now) / DAY_MS));
  return [warning(`${code}_expiring`, `${name} expires in ${days} days, on ${day}: renew it`)];
}
