import { headerOf, type ReceivedMail } from "./received-mail.js";

/** A function that requests a URL, like Node's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The response to a mailbox provider's request. */
export interface LinkResponse {
  /** The request's HTTP method: `POST` to unsubscribe, or `HEAD` or `GET` to scan a link. */
  readonly method: string;
  /** The requested URL as it appears in the email, before any redirects. */
  readonly url: string;
  /** The HTTP status code of the response. For a scan, this is the status code after following any redirects. */
  readonly status: number;
}

/**
 * Unsubscribes the recipient in the same way as a mailbox provider's one-click button (RFC 8058): sends one POST request to the URL
 * in `List-Unsubscribe`, without cookies and without following redirects.
 * @throws if the email doesn't offer one-click unsubscription as the RFC requires, or if it has a signature that doesn't cover both
 *   headers.
 */
export async function unsubscribeByOneClick(mail: ReceivedMail, fetch: Fetch): Promise<LinkResponse> {
  if (headerOf(mail, "List-Unsubscribe-Post") !== "List-Unsubscribe=One-Click") {
    throw new Error("the email has no header List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  }
  const signature = headerOf(mail, "DKIM-Signature")?.replace(/\s/g, "").toLowerCase() ?? null;
  const signedHeaders = /;h=([^;]*)/.exec(signature ?? "")?.[1]?.split(":") ?? [];
  for (const name of ["List-Unsubscribe", "List-Unsubscribe-Post"]) {
    if (signature !== null && !signedHeaders.includes(name.toLowerCase()))
      throw new Error(`the email's signature doesn't cover ${name}`);
  }
  const targets = [...(headerOf(mail, "List-Unsubscribe") ?? "").matchAll(/<([^>]*)>/g)].map(
    ([, url = ""]) => url,
  );
  const url = targets.find((each) => /^https?:/.test(each));
  if (url === undefined) throw new Error("the email's List-Unsubscribe header contains no URL");
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
    redirect: "manual",
    credentials: "omit",
  });
  await response.body?.cancel();
  return { method: "POST", url, status: response.status };
}

/**
 * Requests every link in an email with HEAD and GET and follows redirects, as a security gateway would before the recipient reads
 * the email.
 */
export async function scanLinks(mail: ReceivedMail, fetch: Fetch): Promise<LinkResponse[]> {
  const responses: LinkResponse[] = [];
  for (const url of mail.links) {
    for (const method of ["HEAD", "GET"]) {
      const response = await fetch(url, { method, credentials: "omit" });
      await response.arrayBuffer();
      responses.push({ method, url, status: response.status });
    }
  }
  return responses;
}
