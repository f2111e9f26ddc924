import { randomUUID } from "node:crypto";
import { request } from "node:http";
import type { QuietOrganization } from "./scene.js";

/** Maximum time that a till waits, in milliseconds. */
const PATIENCE = 10_000;
/** Pause between two calls of a kind, in milliseconds. */
const PAUSE = 40;

/** How long calls of one kind took, in milliseconds, and the failures among them. */
export interface CallTimes {
  readonly kind: string;
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

type Call = (at: number) => { readonly path: string; readonly body?: unknown };

/** Makes a call. @returns the status and the text of the response. */
type SendCall = (
  url: string,
  call: ReturnType<Call>,
  token: string,
) => Promise<readonly [status: number, text: string]>;

/** Calls a service as a till does, for this many milliseconds. */
export function probe(url: string, quiet: QuietOrganization, ms: number): Promise<CallTimes[]> {
  const calls: Readonly<Record<string, Call>> = {
    read: (at) => ({ path: `/v1/users/${quiet.users[at % quiet.users.length]}` }),
    write: () => ({ path: "/v1/users", body: { email: `${randomUUID()}@example.com` } }),
    "tag query": () => ({
      path: "/v1/user-tags/query",
      body: { filter: { operator: "AND", conditions: [{ slug: "vip" }] } },
    }),
    scan: (at) => ({
      path: `/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(quiet.scans[at % quiet.scans.length] ?? "")}`,
    }),
  };
  const end = performance.now() + ms;
  const { read = () => ({ path: "/" }) } = calls;
  return Promise.all([
    ...Object.entries(calls).map(([kind, call]) => repeatCall(url, quiet, end, kind, call, sendKeptAlive)),
    repeatCall(url, quiet, end, "new connection", read, sendOnNewConnection),
  ]);
}

/** Sends a request on a connection that may be reused. */
const sendKeptAlive: SendCall = async (url, { path, body }, token) => {
  const answer = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  return [answer.status, await answer.text()];
};

/** Sends a request on a new connection. */
const sendOnNewConnection: SendCall = (url, { path }, token) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(PATIENCE);
    const clientRequest = request(url + path, { agent: false, headers, signal }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve([answer.statusCode ?? 0, text]));
      answer.on("error", reject);
    });
    clientRequest.on("error", reject);
    clientRequest.end();
  });

/** Has a card of the quiet organization mailed, another one each time. @returns the recipient's address. */
export async function awaitMail(url: string, { mailed, tokens }: QuietOrganization): Promise<string> {
  mails += 1;
  const card = mailed[mails % mailed.length];
  if (card === undefined) throw new Error("there is no card to mail");
  const answer = await fetch(`${url}/v1/walletpasses/${card.pass}/notify`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens[0]}` },
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (answer.status !== 202) throw new Error(`no mail: ${answer.status} ${await answer.text()}`);
  return card.address;
}

let mails = 0;

async function repeatCall(
  url: string,
  { tokens }: QuietOrganization,
  end: number,
  kind: string,
  call: Call,
  send: SendCall,
): Promise<CallTimes> {
  const times: number[] = [];
  const failures: string[] = [];
  for (let at = 0; performance.now() < end; at += 1) {
    const token = tokens[at % tokens.length] ?? "";
    const startedAt = performance.now();
    try {
      const [status, text] = await send(url, call(at), token);
      if (status < 200 || status > 299) failures.push(`${status} ${text.slice(0, 100)}`);
    } catch (error) {
      failures.push(String(error));
    }
    times.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return { kind, times, failures };
}

/** Returns the time under which this part of the times stays. */
export function computeQuantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
