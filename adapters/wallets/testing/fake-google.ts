import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { jwtVerify } from "jose";
import { type CallbackFlaws, GoogleSigner } from "./google-signatures.js";
import { type Answer, type FakeCard, type GoogleFault, GoogleStore, refused } from "./google-store.js";

export interface FakeGoogleOptions {
  readonly issuerId?: string;
  /** Sends what Google sends: callbacks, and requests for pictures; the `fetch` of Node unless given. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** The present; that of the system unless given. */
  readonly now?: () => number;
}

/** Google's half of a wallet, on this machine: tokens, the REST interface, keys, and the wallet of somebody. */
export interface FakeGoogle {
  readonly issuerId: string;
  /** The text of a service account's JSON file. */
  readonly serviceAccount: string;
  readonly apiUrl: string;
  readonly tokenUrl: string;
  readonly keysUrl: string;
  /** What was called, such as `PATCH /loyaltyObject/3388.wp_1`, with the status that it got. */
  readonly calls: readonly string[];
  /** How often tokens and keys were fetched. */
  readonly fetched: { tokens: number; keys: number };
  readonly classes: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly objects: ReadonlyMap<string, FakeCard>;
  /** What people were told of changes. */
  readonly notifications: readonly string[];
  /** What it disliked of what it was sent. */
  readonly complaints: readonly string[];
  /** Sends what Google sends, from now on. */
  sendBy(fetch: (request: Request) => Promise<Response>): void;
  /** What happens to the next calls of the REST interface, one after the other; `null` takes one. */
  script(...faults: readonly (GoogleFault | null)[]): void;
  /** What happens to every call until it is ended with `null`. */
  fail(fault: GoogleFault | null): void;
  /** What happens to requests for tokens until it is ended with `null`: an HTTP status. */
  failTokens(status: number | null): void;
  /** Has requests of these kinds, from now on, be taken and never answered; of none ends it. */
  hush(...kinds: readonly ("tokens" | "keys" | "calls")[]): void;
  /** How many requests wait for an answer that never comes. */
  readonly unanswered: number;
  /** Reviews a class. @param status such as `APPROVED` or `REJECTED`. */
  review(classId: string, status: string): void;
  /** Somebody follows a link that adds a card. @throws when Google would not add it. @returns the object's id. */
  save(link: string): Promise<string>;
  /** Somebody removes a card. @param isTold false loses the callback. */
  remove(objectId: string, isTold?: boolean): Promise<void>;
  /** Sends a callback about an object, good unless it gets flaws. @returns the answer's status. */
  callBack(objectId: string, eventType: string, flaws?: CallbackFlaws & { nonce?: string }): Promise<number>;
  close(): Promise<void>;
}

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const MAX_LINK = 1_800;
const HOUR_MS = 3_600_000;

export async function createFakeGoogle(options: FakeGoogleOptions = {}): Promise<FakeGoogle> {
  const { issuerId = "3388000000012345678", now = Date.now } = options;
  const account = theAccount();
  const signer = new GoogleSigner(now);
  const store = new GoogleStore(issuerId, now, (request) => send(request));
  const tokens = new Map<string, number>();
  const calls: string[] = [];
  const fetched = { tokens: 0, keys: 0 };
  let send: (request: Request) => Promise<Response> = options.fetch ?? fetch;
  let tokenFault: number | null = null;
  let silent: readonly string[] = [];
  let unanswered = 0;
  const server = createServer((request, response) => {
    void answerTo(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const body = await textOf(request);
    if (silent.includes({ "/token": "tokens", "/keys": "keys" }[path] ?? "calls")) {
      unanswered += 1;
      response.on("close", () => {
        unanswered -= 1;
      });
      return;
    }
    if (path === "/token") return reply(response, await token(body));
    if (path === "/keys") {
      fetched.keys += 1;
      return reply(response, { status: 200, body: signer.published() });
    }
    const place = path.replace("/walletobjects/v1", "");
    const bearer = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const isKnown = (tokens.get(bearer) ?? 0) > now();
    const method = request.method ?? "";
    const answer = isKnown ? await store.answer(method, place, body) : refused(401, "authError");
    calls.push(`${method} ${place} ${answer === "drop" ? "dropped" : answer.status}`);
    if (answer === "drop") response.destroy();
    else reply(response, answer);
  }

  /** Takes an assertion (RFC 7523). */
  async function token(body: string): Promise<Answer> {
    fetched.tokens += 1;
    if (tokenFault !== null) return { status: tokenFault, body: { error: "invalid_grant" } };
    const form = new URLSearchParams(body);
    try {
      const { payload } = await jwtVerify(form.get("assertion") ?? "", account.publicKey, {
        algorithms: ["RS256"],
        issuer: account.email,
        audience: `${url}/token`,
        currentDate: new Date(now()),
        maxTokenAge: "1h",
      });
      const isRight =
        payload.scope === SCOPE && form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer";
      if (!isRight) return { status: 400, body: { error: "invalid_scope" } };
    } catch {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    const accessToken = randomUUID();
    tokens.set(accessToken, now() + HOUR_MS);
    return { status: 200, body: { access_token: accessToken, expires_in: 3_600, token_type: "Bearer" } };
  }

  const google: FakeGoogle = {
    issuerId,
    serviceAccount: JSON.stringify({
      type: "service_account",
      private_key_id: "key-1",
      private_key: account.privateKey.export({ type: "pkcs8", format: "pem" }),
      client_email: account.email,
    }),
    apiUrl: `${url}/walletobjects/v1`,
    tokenUrl: `${url}/token`,
    keysUrl: `${url}/keys`,
    calls,
    fetched,
    classes: store.classes,
    objects: store.objects,
    notifications: store.notifications,
    complaints: store.complaints,
    sendBy(fetch) {
      send = fetch;
    },
    script: (...faults) => store.script(faults),
    fail: (fault) => store.fail(fault),
    failTokens(status) {
      tokenFault = status;
    },
    hush(...kinds) {
      silent = kinds;
    },
    get unanswered() {
      return unanswered;
    },
    review: (classId, status) => store.review(classId, status),
    async save(link) {
      const objectId = await objectIn(link, account);
      store.save(objectId);
      await google.callBack(objectId, "save");
      return objectId;
    },
    async remove(objectId, isTold = true) {
      store.remove(objectId);
      if (isTold) await google.callBack(objectId, "del");
    },
    async callBack(objectId, eventType, { nonce = randomUUID(), ...flaws } = {}) {
      const classId = store.objects.get(objectId)?.content.classId;
      const expTimeMillis = now() + (flaws.expired === "message" ? -1 : HOUR_MS);
      const event = { classId, objectId, eventType, expTimeMillis, count: 1, nonce };
      const body = signer.callback(event, issuerId, flaws);
      const headers = { "content-type": "application/json", "user-agent": "Googlebot" };
      const request = new Request(store.callbackUrlOf(classId), { method: "POST", body, headers });
      return (await send(request)).status;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return google;
}

interface Account {
  readonly email: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let known: Account | null = null;

/** One for all of a process: keys take their time. */
function theAccount(): Account {
  known ??= {
    email: "loyalty@fake-project.iam.gserviceaccount.com",
    ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
  };
  return known;
}

/** The object that a link names. @throws when the link would not be taken. */
async function objectIn(link: string, { email, publicKey }: Account): Promise<string> {
  const start = "https://pay.google.com/gp/v/save/";
  if (!link.startsWith(start)) throw new Error("this is no link that adds a card");
  if (link.length > MAX_LINK) throw new Error(`the link has ${link.length} characters`);
  const { payload } = await jwtVerify(link.slice(start.length), publicKey, {
    algorithms: ["RS256"],
    issuer: email,
    audience: "google",
  });
  if (payload.typ !== "savetowallet") throw new Error("the token is not savetowallet");
  const { loyaltyObjects }: { loyaltyObjects?: { id?: string }[] } = Object(payload.payload);
  const [object, ...others] = loyaltyObjects ?? [];
  if (object?.id === undefined || others.length > 0) throw new Error("the token names no object");
  return object.id;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function reply(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
