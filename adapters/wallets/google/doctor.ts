import { error, type Finding, warning } from "../finding.js";
import { type ApiAnswer, type CallGoogle, saidBy } from "./api-client.js";
import { fieldsOf } from "./signed-message.js";

/** Asks Google what is wrong with an issuer, its account and its classes. */
export async function googleFindings(call: CallGoogle, issuerId: string): Promise<Finding[]> {
  const classes = await call("GET", `/loyaltyClass?issuerId=${issuerId}&maxResults=100`);
  return classes.status === 200 ? rejectedIn(classes) : refusalIn(classes, issuerId);
}

function refusalIn({ status, reason }: ApiAnswer, issuerId: string): Finding[] {
  if (status === 401) {
    return [
      error(
        "google_account_refused",
        `Google does not take the service account (${reason}): is its key deleted?`,
      ),
    ];
  }
  if (status === 403 || status === 404) {
    return [
      error(
        "google_issuer_refused",
        `Google lets the service account not speak for issuer ${issuerId} (${reason}): invite it as a user there, and turn on the Google Wallet API`,
      ),
    ];
  }
  if (status === 0) {
    return [
      warning(
        "google_unreachable",
        `Google's wallet could not be asked, so what it knows was not checked: ${reason}. Is this machine on the network, and may it call that server?`,
      ),
    ];
  }
  return [
    warning(
      "google_unreachable",
      `Google's wallet could not be asked, so what it knows was not checked: it answers ${saidBy({ status, reason })}. Try again later`,
    ),
  ];
}

function rejectedIn({ body }: ApiAnswer): Finding[] {
  const classes: unknown[] = Array.isArray(body.resources) ? body.resources : [];
  return classes.flatMap((each) => {
    const { id, reviewStatus } = fieldsOf(each);
    // Google has written it in both ways.
    if (typeof id !== "string" || !/^rejected$/i.test(String(reviewStatus))) return [];
    return [
      error("google_class_rejected", `Google did not accept the class ${id}: see its review in the console`),
    ];
  });
}
