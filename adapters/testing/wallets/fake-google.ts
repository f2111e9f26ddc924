import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { jwtVerify } from "jose";
import { HOUR_MS } from "../../../src/base/values/clock.js";
import { type CallbackFlaws, GoogleSigner } from "./google-signatures.js";
import { createRefusal, GoogleStore, type StoreResponse } from "./google-store.js";

type Fetch = (request: Request) => Promise<Response>;

export interface FakeGoogleOptions {
  /** The ID of the Google Wallet issuer that owns all classes and objects. Default: `3388000000012345678`. */
  readonly issuerId?: string;
  /** The function that sends Google's own requests, for callbacks and pictures. Default: Node's `fetch`. */
  readonly fetch?: Fetch;
  /** Returns the current time, in milliseconds since the Unix epoch. Default: the system clock. */
  readonly now?: () => number;
}

const SCOPE = "https://www.googleapis.com/auth/wallet_object.issuer";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SAVE_URL = "https://pay.google.com/gp/v/save/";
const MAX_LINK_LENGTH = 1_800;

/**
 * Starts a local fake of Google Wallet's servers.
 * @example
 * import { createFakeGoogle } from "loyalty-kit/testing";
 *
 * const google = await createFakeGoogle({ issuerId: "3388000000012345678" });
 * console.log(google.apiUrl, google.calls.length);
 */
export async function createFakeGoogle(options: FakeGoogleOptions = {}): Promise<FakeGoogle> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return new FakeGoogle(server, options);
}

/**
 * A local fake of Google Wallet's servers. It issues access tokens, serves the REST API and the public keys, and simulates a
 * person's wallet.
 */
export class FakeGoogle extends GoogleStore {
  /** The base URL of the fake Google Wallet API, to use in place of Google's. */
  readonly apiUrl: string;
  /** The URL from which clients request access tokens. */
  readonly tokenUrl: string;
  /** The URL of the fake's public keys, to use in place of Google's. */
  readonly keysUrl: string;
  /**
   * The API calls, in order, each formatted as its method, path, and response status, such as `PATCH /loyaltyObject/3388.wp_1 200`.
   * If the connection was dropped, the status is `dropped`.
   */
  readonly calls: string[] = [];
  /** The number of requests for access tokens (`tokens`) and for public keys (`keys`) so far. */
  readonly fetched = {
    /** The number of requests for access tokens. */
    tokens: 0,
    /** The number of requests for public keys. */
    keys: 0,
  };
  /** The number of requests that will never get a response. */
  unanswered = 0;
  private readonly account = getSharedAccount();
  private readonly signer: GoogleSigner;
  private readonly tokens = new Map<string, number>();
  private tokenFault: number | null = null;
  private silentKinds: readonly string[] = [];

  constructor(
    private readonly server: Server,
    { issuerId = "3388000000012345678", now = Date.now, fetch: send = fetch }: FakeGoogleOptions,
  ) {
    super(issuerId, now, send);
    this.signer = new GoogleSigner(now);
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    this.apiUrl = `${url}/walletobjects/v1`;
    this.tokenUrl = `${url}/token`;
    this.keysUrl = `${url}/keys`;
    server.on("request", (request, response) => {
      void this.serve(request, response).catch(() => response.destroy());
    });
  }

  /** The contents of the service account's JSON key file. */
  get serviceAccount(): string {
    return JSON.stringify({
      type: "service_account",
      private_key_id: "key-1",
      private_key: this.account.privateKey.export({ type: "pkcs8", format: "pem" }),
      client_email: this.account.email,
    });
  }

  /** Sets the function that sends Google's own requests, such as callbacks. It replaces the `fetch` option. */
  sendBy(send: Fetch): void {
    this.fetch = send;
  }

  /** Makes every token request fail with the given HTTP status. Pass `null` to stop the failures. */
  failTokens(status: number | null): void {
    this.tokenFault = status;
  }

  /**
   * Makes the server accept requests of the given kinds without ever responding to them. Call it with no arguments to resume
   * responding to all requests.
   */
  hush(...kinds: readonly ("tokens" | "keys" | "calls")[]): void {
    this.silentKinds = kinds;
  }

  /**
   * Follows a link and adds its card to the wallet, as a person would.
   * @returns the card's object ID.
   * @throws if Google would reject the card.
   */
  async save(link: string): Promise<string> {
    const objectId = await readObject(link, this.account);
    this.addUser(objectId);
    await this.callBack(objectId, "save");
    return objectId;
  }

  /**
   * Removes a card from the wallet, as a person would.
   * @param hasCallback whether to send Google's callback. Pass `false` to simulate a lost callback.
   */
  async remove(objectId: string, hasCallback = true): Promise<void> {
    this.removeUser(objectId);
    if (hasCallback) await this.callBack(objectId, "del");
  }

  /**
   * Sends a callback about an object. The callback is valid unless flaws are specified.
   * @returns the HTTP status of the response.
   */
  async callBack(
    objectId: string,
    eventType: string,
    { nonce = randomUUID(), ...flaws }: CallbackFlaws & { nonce?: string } = {},
  ): Promise<number> {
    const classId = this.objects.get(objectId)?.content.classId;
    const expTimeMillis = this.now() + (flaws.expired === "message" ? -1 : HOUR_MS);
    const event = { classId, objectId, eventType, expTimeMillis, count: 1, nonce };
    const body = this.signer.signCallback(event, this.issuerId, flaws);
    const headers = { "content-type": "application/json", "user-agent": "Googlebot" };
    const request = new Request(this.findCallbackUrl(classId), { method: "POST", body, headers });
    return (await this.fetch(request)).status;
  }

  /** Stops the server and drops all of its connections. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const body = await readText(request);
    if (this.silentKinds.includes({ "/token": "tokens", "/keys": "keys" }[path] ?? "calls")) {
      this.unanswered += 1;
      response.on("close", () => {
        this.unanswered -= 1;
      });
      return;
    }
    if (path === "/token") return reply(response, await this.issueToken(body));
    if (path === "/keys") {
      this.fetched.keys += 1;
      return reply(response, { status: 200, body: this.signer.listPublishedKeys() });
    }
    const apiPath = path.replace("/walletobjects/v1", "");
    const bearer = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const isAuthorized = (this.tokens.get(bearer) ?? 0) > this.now();
    const method = request.method ?? "";
    const result = isAuthorized ? await this.answer(method, apiPath, body) : createRefusal(401, "authError");
    this.calls.push(`${method} ${apiPath} ${result === "drop" ? "dropped" : result.status}`);
    if (result === "drop") response.destroy();
    else reply(response, result);
  }

  /** Exchanges an assertion for an access token (RFC 7523). */
  private async issueToken(body: string): Promise<StoreResponse> {
    this.fetched.tokens += 1;
    if (this.tokenFault !== null) return { status: this.tokenFault, body: { error: "invalid_grant" } };
    const form = new URLSearchParams(body);
    try {
      const { payload } = await jwtVerify(form.get("assertion") ?? "", this.account.publicKey, {
        algorithms: ["RS256"],
        issuer: this.account.email,
        audience: this.tokenUrl,
        currentDate: new Date(this.now()),
        maxTokenAge: "1h",
      });
      const isValid = payload.scope === SCOPE && form.get("grant_type") === GRANT_TYPE;
      if (!isValid) return { status: 400, body: { error: "invalid_scope" } };
    } catch {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    const accessToken = randomUUID();
    this.tokens.set(accessToken, this.now() + HOUR_MS);
    return { status: 200, body: { access_token: accessToken, expires_in: 3_600, token_type: "Bearer" } };
  }
}

interface Account {
  readonly email: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let account: Account | null = null;

/** Returns the process-wide service account, because generating keys takes time. */
function getSharedAccount(): Account {
  account ??= {
    email: "loyalty@fake-project.iam.gserviceaccount.com",
    ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
  };
  return account;
}

/**
 * Returns the ID of the object that a link refers to.
 * @throws if Google would reject the link.
 */
async function readObject(link: string, { email, publicKey }: Account): Promise<string> {
  if (!link.startsWith(SAVE_URL)) throw new Error("not a link that adds a card");
  if (link.length > MAX_LINK_LENGTH) throw new Error(`the link is too long: ${link.length} characters`);
  const { payload } = await jwtVerify(link.slice(SAVE_URL.length), publicKey, {
    algorithms: ["RS256"],
    issuer: email,
    audience: "google",
  });
  if (payload.typ !== "savetowallet") throw new Error("the token is not savetowallet");
  const { loyaltyObjects }: { loyaltyObjects?: { id?: string }[] } = Object(payload.payload);
  const [object, ...others] = loyaltyObjects ?? [];
  if (object?.id === undefined || others.length > 0)
    throw new Error("the token must contain exactly one object");
  return object.id;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function reply(response: ServerResponse, { status, body, headers = {} }: StoreResponse): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
