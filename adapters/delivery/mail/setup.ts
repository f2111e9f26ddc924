import { error, type SetupFinding, warning } from "../../setup/finding.js";
import { installCommand } from "../../setup/peers.js";
import { publicUrlFindings } from "../../setup/public-url.js";
import { type DkimKey, toAsciiDomain } from "./dkim.js";

/** Every finding that a mail setup check can report. */
export const findings = {
  dkimMissing: warning(
    "dkim_missing",
    "mails are not signed here: unless the mail server signs them (DKIM), large mailbox providers refuse them or put them into spam",
  ),
  dkimNotAligned: (from: string, signing: string) =>
    error(
      "dkim_domain_mismatch",
      `DKIM signs for ${signing}, but mails come from ${from}: take the domain of the sender's address, or one above it`,
    ),
  dkimTooShort: (bits: number) =>
    error(
      "dkim_key_too_short",
      `the DKIM key has ${bits} bits, and receivers ignore those below 1024: make one of 2048`,
    ),
  dkimShort: (bits: number) => warning("dkim_key_short", `the DKIM key has ${bits} bits: make one of 2048`),
  packageMissing: error(
    "nodemailer_missing",
    `mails can't be sent over SMTP without nodemailer: ${installCommand("nodemailer")}`,
  ),
  hostUnknown: (host: string) =>
    error("smtp_host_unknown", `the mail server ${host} has no address in the DNS: check its name`),
  unreachable: (server: string, why: string) =>
    error(
      "smtp_unreachable",
      `the mail server ${server} can't be reached (${why}): check host, port and firewall`,
    ),
  refused: (server: string, answer: string) =>
    error("smtp_refused", `the mail server ${server} takes no mails from here: ${answer}`),
  untrusted: (server: string, why: string) =>
    error(
      "smtp_certificate_refused",
      `the certificate of the mail server ${server} is not trusted (${why}): use the name that it is for, or name its authority in NODE_EXTRA_CA_CERTS`,
    ),
  notEncrypted: (server: string, why: string) =>
    error(
      "smtp_tls_missing",
      `the mail server ${server} does not encrypt (${why}): use smtps://, another port, or ?tls=off in a network that is yours`,
    ),
  encryptionOff: warning(
    "smtp_unencrypted",
    "mails and the password go to the mail server unencrypted: leave ?tls=off away unless the network is yours",
  ),
  signInRefused: (server: string, answer: string) =>
    error(
      "smtp_sign_in_refused",
      `the mail server ${server} refuses the user and password (${answer}): many providers want a password for applications`,
    ),
} as const;

/** The parts of a mail setup that can be checked without connecting to the mail server. */
export interface MailSetup {
  readonly publicUrl: string;
  /** The sender's address, without a display name. */
  readonly from: string;
  /** The DKIM key, or `null` if this service doesn't sign its emails. */
  readonly dkim: DkimKey | null;
}

/** Returns the problems that can be found without connecting to the mail server. */
export function setupFindings({ publicUrl, from, dkim }: MailSetup): SetupFinding[] {
  return [
    ...publicUrlFindings(publicUrl, {
      insecure: "links of mails lead there",
      local: "no one who gets a mail can follow its link",
    }),
    ...dkimFindings(from, dkim),
  ];
}

function dkimFindings(from: string, dkim: DkimKey | null): SetupFinding[] {
  if (dkim === null) return [findings.dkimMissing];
  const found: SetupFinding[] = [];
  const sender = toAsciiDomain(from);
  // Relaxed alignment in DMARC (RFC 7489): the sender's domain must be the DKIM domain or a subdomain of it.
  const isAligned = sender === dkim.domain || sender.endsWith(`.${dkim.domain}`);
  if (!isAligned) found.push(findings.dkimNotAligned(sender, dkim.domain));
  if (dkim.bits < 1_024) found.push(findings.dkimTooShort(dkim.bits));
  else if (dkim.bits < 2_048) found.push(findings.dkimShort(dkim.bits));
  return found;
}
