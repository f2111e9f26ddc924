import { checkPublicUrl, error, type SetupFinding, warning } from "../../setup/finding.js";
import { installCommand } from "../../setup/peers.js";
import { type DkimKey, toAsciiDomain } from "./dkim.js";

/** All findings that a mail setup check can report. */
export const findings = {
  dkimMissing: warning(
    "dkim_missing",
    "emails aren't signed with DKIM here; unless the mail server signs them with DKIM, large mailbox providers reject them or mark them as spam",
  ),
  dkimNotAligned: (from: string, signing: string) =>
    error(
      "dkim_domain_mismatch",
      `DKIM signs for ${signing}, but emails come from ${from}; use the domain of the sender's address or a parent domain`,
    ),
  dkimTooShort: (bits: number) =>
    error(
      "dkim_key_too_short",
      `the DKIM key has ${bits} bits, and receivers ignore keys below 1024; create one with 2048`,
    ),
  dkimShort: (bits: number) =>
    warning("dkim_key_short", `the DKIM key only has ${bits} bits; create one with 2048`),
  packageMissing: error(
    "nodemailer_missing",
    `sending email over SMTP requires nodemailer: ${installCommand("nodemailer")}`,
  ),
  hostUnknown: (host: string) =>
    error("smtp_host_unknown", `the mail server ${host} has no DNS entry; check its name`),
  unreachable: (server: string, reason: string) =>
    error(
      "smtp_unreachable",
      `the mail server ${server} can't be reached (${reason}); check the host, port and firewall`,
    ),
  refused: (server: string, reply: string) =>
    error("smtp_refused", `the mail server ${server} doesn't accept emails from here: ${reply}`),
  untrusted: (server: string, reason: string) =>
    error(
      "smtp_certificate_refused",
      `the certificate of the mail server ${server} isn't trusted (${reason}); use the host name it was issued for, or add its certificate authority to NODE_EXTRA_CA_CERTS`,
    ),
  notEncrypted: (server: string, reason: string) =>
    error(
      "smtp_tls_missing",
      `the mail server ${server} doesn't offer encryption (${reason}); use smtps://, another port, or ?tls=off on a network you control`,
    ),
  encryptionOff: warning(
    "smtp_unencrypted",
    "emails and the password are sent to the mail server unencrypted; remove ?tls=off unless you control the network",
  ),
  signInRefused: (server: string, reply: string) =>
    error(
      "smtp_sign_in_refused",
      `the mail server ${server} rejected the user and password (${reply}); many providers require an app password`,
    ),
} as const;

/** The parts of a mail setup that are checked without connecting to the mail server. */
export interface MailSetup {
  readonly publicUrl: string;
  /** The sender's address, without a display name. */
  readonly from: string;
  /** The DKIM key, or `null` if this service doesn't sign its emails. */
  readonly dkim: DkimKey | null;
}

/** Returns the problems that can be found in a mail setup without connecting to the mail server. */
export function findSetupProblems({ publicUrl, from, dkim }: MailSetup): SetupFinding[] {
  return [
    ...checkPublicUrl(publicUrl, {
      insecure: "links in emails point to it",
      local: "recipients can't open links in emails",
    }),
    ...findDkimProblems(from, dkim),
  ];
}

function findDkimProblems(from: string, dkim: DkimKey | null): SetupFinding[] {
  if (dkim === null) return [findings.dkimMissing];
  const problems: SetupFinding[] = [];
  const sender = toAsciiDomain(from);
  // Relaxed alignment in DMARC (RFC 7489): the sender's domain must be the DKIM domain or a subdomain of it.
  const isAligned = sender === dkim.domain || sender.endsWith(`.${dkim.domain}`);
  if (!isAligned) problems.push(findings.dkimNotAligned(sender, dkim.domain));
  if (dkim.bits < 1_024) problems.push(findings.dkimTooShort(dkim.bits));
  else if (dkim.bits < 2_048) problems.push(findings.dkimShort(dkim.bits));
  return problems;
}
