import type { SetupFinding } from "../../../setup/finding.js";
import { toFields } from "../json.js";
import { findings } from "../setup.js";
import { type CallGoogle, describeResponse } from "./api-client.js";

/**
 * Checks with Google that the service account can access the issuer and that none of the issuer's classes have been rejected.
 * @returns the problems found, if any.
 */
export async function checkIssuer(call: CallGoogle, issuerId: string): Promise<SetupFinding[]> {
  const response = await call("GET", `/loyaltyClass?issuerId=${issuerId}&maxResults=100`);
  const { status, reason, body } = response;
  switch (status) {
    case 200:
      return (Array.isArray(body.resources) ? body.resources : []).flatMap(findRejection);
    case 401:
      return [findings.accountRefused(reason)];
    case 403:
    case 404:
      return [findings.issuerRefused(issuerId, reason)];
    case 0:
      return [findings.unreachable(`${reason}; check this machine's network connection and firewall`)];
    default:
      return [findings.unreachable(`it responded with ${describeResponse(response)}; try again later`)];
  }
}

function findRejection(loyaltyClass: unknown): SetupFinding[] {
  const { id, reviewStatus } = toFields(loyaltyClass);
  // Google has used both upper and lower case.
  return typeof id === "string" && /^rejected$/i.test(String(reviewStatus))
    ? [findings.classRejected(id)]
    : [];
}
