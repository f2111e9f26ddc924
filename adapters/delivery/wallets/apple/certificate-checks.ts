import type { X509Certificate } from "node:crypto";
import { DAY_MS } from "../../../../src/base/values/clock.js";
import type { WalletCertificate } from "../../../../src/index.js";
import type { SetupFinding } from "../../../setup/finding.js";
import { findings } from "../setup.js";
import { EXPIRY_WARNING_DAYS } from "./expiry-warning.js";
import type { AppleIdentity } from "./identity.js";

/** Returns findings if the certificates and the key don't match. The result doesn't depend on the time, so callers can reuse it. */
export function findMismatches({ certificate, intermediate, key }: AppleIdentity): SetupFinding[] {
  const isMatchingKey = key.asymmetricKeyType === "rsa" && certificate.checkPrivateKey(key);
  const isIssued = certificate.checkIssued(intermediate) && certificate.verify(intermediate.publicKey);
  return [...(isMatchingKey ? [] : [findings.keyMismatch]), ...(isIssued ? [] : [findings.issuerMismatch])];
}

/** Returns findings for certificates that aren't valid yet, have expired, or will expire soon. */
export function findExpiryProblems(
  { certificate, intermediate }: AppleIdentity,
  now: number,
): SetupFinding[] {
  return [
    ...checkExpiry("apple_certificate", "Apple's certificate of the pass type", certificate, now),
    ...checkExpiry("apple_wwdr", "Apple's intermediate certificate", intermediate, now),
  ];
}

/** Returns the certificates that expire within {@link EXPIRY_WARNING_DAYS} days, excluding any that have already expired. */
export function findExpiringCertificates(identity: AppleIdentity, now: number): WalletCertificate[] {
  return listCertificates(identity).filter(({ expiresAt }) => {
    const remainingMs = Date.parse(expiresAt) - now;
    return remainingMs > 0 && remainingMs <= EXPIRY_WARNING_DAYS * DAY_MS;
  });
}

/** Returns the pass type's certificate, followed by Apple's intermediate certificate. */
export function listCertificates({
  certificate,
  intermediate,
  passTypeId,
}: AppleIdentity): WalletCertificate[] {
  const commonName = /^CN=(.*)$/m.exec(intermediate.subject)?.[1] ?? intermediate.subject;
  return [
    { name: passTypeId, end: Date.parse(certificate.validTo) },
    { name: commonName, end: Date.parse(intermediate.validTo) },
  ].map(({ name, end }) => ({
    object: "wallet_certificate",
    platform: "apple",
    name,
    expiresAt: new Date(end).toISOString(),
  }));
}

function checkExpiry(code: string, name: string, certificate: X509Certificate, now: number): SetupFinding[] {
  const end = Date.parse(certificate.validTo);
  const day = new Date(end).toISOString().slice(0, 10);
  if (end <= now) return [findings.expired(code, name, day)];
  if (Date.parse(certificate.validFrom) > now) return [findings.notYetValid(code, name)];
  if (end - now > EXPIRY_WARNING_DAYS * DAY_MS) return [];
  return [findings.expiring(code, name, day, Math.max(1, Math.ceil((end - now) / DAY_MS)))];
}
