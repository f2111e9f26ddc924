import type { SetupFinding } from "../../../setup/finding.js";
import { PackageMissing } from "../../../setup/load-peer.js";
import { toPlainReply } from "../send-error.js";
import { findings } from "../setup.js";
import { SmtpError, type SmtpSession } from "./session.js";
import type { SmtpServer } from "./smtp-options.js";

/**
 * Checks the connection to the mail server by connecting, starting TLS, and logging in. Doesn't send an email.
 * @returns the problems found, or an empty array if there are none.
 */
export async function connectionFindings(
  open: () => Promise<SmtpSession>,
  server: SmtpServer,
): Promise<SetupFinding[]> {
  const found = server.tls === "off" && !server.isLocal ? [findings.encryptionOff] : [];
  try {
    const session = await open();
    session.quit();
    return found;
  } catch (error) {
    return [...found, toFinding(error, server)];
  }
}

function toFinding(error: unknown, server: SmtpServer): SetupFinding {
  const name = `${server.host}:${server.port}`;
  if (error instanceof PackageMissing) return findings.packageMissing;
  if (!(error instanceof SmtpError)) return findings.unreachable(name, "the connection failed");
  const { reason, failure } = error;
  const answer = toPlainReply(failure.answer).slice(0, 200);
  if (reason === "EAUTH") return findings.signInRefused(name, answer);
  if (/CERT|ISSUER|SELF_SIGNED|VERIFY/.test(reason)) return findings.untrusted(name, reason);
  if (reason === "ETLS" || /SSL|TLS/.test(reason)) return findings.notEncrypted(name, answer);
  if (reason === "EDNS" || reason === "ENOTFOUND" || reason === "EAI_AGAIN")
    return findings.hostUnknown(server.host);
  if (failure.code !== null) return findings.refused(name, answer);
  return findings.unreachable(name, answer);
}
