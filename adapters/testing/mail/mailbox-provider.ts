import { headerOf, type ReceivedMail } from "./received-mail.js";

/** Calls a link, as `fetch` of Node does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The response of the server to one request of a mailbox provider. */
export interface LinkResponse {
  readonly method: string;
  readonly url: string;
  readonly status: number;
}

/**
 * Unsubscribes as the button of a mailbox provider does (RFC 8058): one POST to the URL of `List-Unsubscribe`, without cookies,
 * which follows no redirect.
 * @throws if the mail does not offer it as the RFC wants; a signature must cover both of its headers.
 */
export async function unsubscribeByOneClick(mail: ReceivedMail, fetch: Fetch): Promise<LinkResponse> {
  if (headerOf(mail, "List-Unsubscribe-Post") !== "List-Unsubscribe=One-Click") {
    throw new Error("the mail has no header List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  }
  const signature = headerOf(mail, "DKIM-Signature")?.replace(/\s/g, "").toLowerCase() ?? null;
  const signed = /;h=([^;]*)/.exec(signature ?? "")?.[1]?.split(":") ?? [];
  for (const name of ["List-Unsubscribe", "List-Unsubscribe-Post"]) {
    if (signature !== null && !signed.includes(name.toLowerCase()))
      throw new Error(`the signature of the mail does not cover ${name}`);
  }
  const targets = [...(headerOf(mail, "List-Unsubscribe") ?? "").matchAll(/<([^>]*)>/g)].map(
    ([, url = ""]) => url,
  );
  const url = targets.find((each) => /^https?:/.test(each));
  if (url === undefined) throw new Error("the header List-Unsubscribe of the mail names no URL");
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
    redirect: "manual",
    credentials: "omit",
  });
  await answer.body?.cancel();
  return { method: "POST", url, status: answer.status };
}

/** Opens every link of a mail as a security gateway does before the mail is read: HEAD and GET, with redirects. */
export async function scanLinks(mail: ReceivedMail, fetch: Fetch): Promise<LinkResponse[]> {
  const answers: LinkResponse[] = [];
  for (const url of mail.links) {
    for (const method of ["HEAD", "GET"]) {
      const answer = await fetch(url, { method, credentials: "omit" });
      await answer.arrayBuffer();
      answers.push({ method, url, status: answer.status });
    }
  }
  return answers;
}
