import type { X509Certificate } from "node:crypto";
import type { WalletCertificate } from "../../src/index.js";
import { urlOf } from "../../src/values/url.js";
import type { AppleIdentity } from "./apple/identity.js";
import { type Drawer, lookOf } from "./drawing.js";
import { error, type Finding, warning } from "./finding.js";

const DAY_MS = 86_400_000;
const WARNED_DAYS = 30;

/** What is wrong with the URL at which wallets reach the server: they take https alone, but for tests on this machine. */
export function publicUrlFindings(publicUrl: string): Finding[] {
  const url = urlOf(publicUrl);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return [error("public_url_invalid", "the public URL must be an https URL")];
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "" || publicUrl.endsWith("/")) {
    return [
      error("public_url_invalid", "the public URL must have no user, query, fragment and slash at its end"),
    ];
  }
  if (url.protocol === "https:") return [];
  return isLoopback(url.hostname)
    ? [
        warning(
          "public_url_insecure",
          "the public URL is on this machine: only tests reach it, no phone does",
        ),
      ]
    : [error("public_url_insecure", "the public URL must be https: phones and wallets refuse http")];
}

/** What is wrong with Apple's certificates and key. */
export function appleFindings(identity: AppleIdentity, now: number): Finding[] {
  const { certificate, intermediate, key } = identity;
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
  findings.push(
    ...timeFindings("apple_certificate", "Apple's certificate of the pass type", certificate, now),
    ...timeFindings("apple_wwdr", "Apple's intermediate certificate", intermediate, now),
  );
  return findings;
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

/** Whether stamps are drawn: one is, to see. @param drawer `null` when none is installed. */
export async function drawingFindings(drawer: Drawer | null): Promise<Finding[]> {
  const state = { look: lookOf(null), filled: 1, total: 2 };
  const drawn = await drawer?.strip(state, 1, async () => null).catch(() => null);
  return drawn == null
    ? [
        warning(
          "stamps_not_drawn",
          "stamps are told in numbers alone, and pictures kept as they were sent: install @resvg/resvg-wasm",
        ),
      ]
    : [];
}

function timeFindings(
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

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
