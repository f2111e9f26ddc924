import { createHash, randomUUID } from "node:crypto";
import {
  type AppWithSecret,
  type CreatedApp,
  LoyaltyService,
  type Scope,
  type StorageAdapter,
} from "loyalty-kit";
import { createOAuth, type SignedInUser, type TokenLimitOptions } from "loyalty-kit/auth";
import { bearerTokens, createHttpApi, type RateLimitOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

export const issuer = "https://loyalty.example";
export const redirectUri = "https://app.example/callback";
export const verifier = "a-verifier-that-has-at-least-43-characters-of-those";
export const challenge = createChallenge(verifier);

export type Fields = Readonly<Record<string, string | null>>;

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** Returns the `code_challenge` of a verifier, as an app computes it. */
export function createChallenge(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

export interface SceneOptions {
  readonly storage?: StorageAdapter;
  readonly clock?: ManualClock;
  /** Receives the errors that the host's logger gets. Default: they fail the test. */
  readonly onError?: (error: unknown) => void;
  readonly key?: string;
  /** Default: none. */
  readonly rateLimits?: RateLimitOptions;
  /** Default: none. */
  readonly tokenLimits?: TokenLimitOptions;
}

/**
 * A server with a signed-in user, closed after the test. Its apps belong to another organization. Default storage:
 * memory.
 */
export class Scene {
  readonly clock: ManualClock;
  readonly loyalty: LoyaltyService;
  /** The signed-in user, if one is signed in. */
  user: SignedInUser = { organizationId: `org-${randomUUID()}`, subject: "ada" };
  /** Where to sign in; `null` if a user is signed in. */
  signInAt: string | null = null;
  /** The address of the client; `null` if it isn't known. */
  address: string | null = null;
  private readonly handle: (request: Request) => Promise<Response>;

  constructor(options: SceneOptions = {}) {
    const { storage = memoryStorage(), clock = new ManualClock(), key } = options;
    const { rateLimits = false, tokenLimits = false } = options;
    const errors: unknown[] = [];
    const onError = options.onError ?? ((error) => void errors.push(error));
    this.clock = clock;
    this.loyalty = new LoyaltyService({ storage, clock: clock.read, onError });
    const signedIn = () => (this.signInAt === null ? this.user : { redirect: this.signInAt });
    const oauth = createOAuth(this.loyalty, {
      issuer,
      signedIn,
      rateLimits: tokenLimits,
      ...(key !== undefined && { key }),
    });
    const authenticate = bearerTokens(this.loyalty);
    this.handle = createHttpApi(this.loyalty, {
      authenticate,
      oauth,
      onError,
      rateLimits,
      addressOf: () => this.address,
    }).fetch;
    onTestFinished(async () => {
      await this.loyalty.close();
      expect(errors).toEqual([]);
    });
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.handle(new Request(issuer + path, init));
  }

  /** Registers an app for these scopes. */
  createApp(
    redirectUris: string[] = [redirectUri],
    scopes: Scope[] = ["user:read", "user:create"],
  ): Promise<AppWithSecret> {
    const name = "Till of the bakery";
    return this.loyalty.organization("vendor").apps.create({ name, redirectUris, scopes });
  }

  /** Returns the URL that an app sends the browser to; `null` omits a parameter. */
  authorizeUrl({ app }: CreatedApp, changes: Fields = {}): string {
    return `/oauth2/authorize?${createParams({
      response_type: "code",
      client_id: app.id,
      redirect_uri: redirectUri,
      scope: "user:read user:create",
      state: "a state",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...changes,
    })}`;
  }

  /** Opens the page and submits the decision. */
  async decide(url: string, decision: "allow" | "deny"): Promise<Response> {
    const page = await this.fetch(url);
    const seal = findSeal(await page.text());
    return this.fetch(url, { method: "POST", body: createParams({ seal, decision }) });
  }

  /** Returns the code that an app gets when the user allows its request. */
  async createCode(app: CreatedApp, changes: Fields = {}): Promise<string> {
    const code = parseRedirect(await this.decide(this.authorizeUrl(app, changes), "allow")).get("code");
    if (code === null) throw new Error("there is no code in the answer");
    return code;
  }

  /** Sends an app's request to an endpoint, with its secret in HTTP Basic. */
  send({ app, clientSecret }: AppWithSecret, path: string, fields: Fields): Promise<Response> {
    const headers = { authorization: createBasicAuth(app.id, clientSecret) };
    return this.fetch(path, { method: "POST", headers, body: createParams(fields) });
  }

  /** Returns the fields that an app sends to redeem a code. */
  createRedemption(code: string): Fields {
    return {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
  }

  redeem(app: AppWithSecret, code: string, changes: Fields = {}): Promise<Response> {
    return this.send(app, "/oauth2/token", { ...this.createRedemption(code), ...changes });
  }

  refresh(app: AppWithSecret, refreshToken: string, changes: Fields = {}): Promise<Response> {
    return this.send(app, "/oauth2/token", {
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      ...changes,
    });
  }

  revoke(app: AppWithSecret, token: string, changes: Fields = {}): Promise<Response> {
    return this.send(app, "/oauth2/revoke", { token, ...changes });
  }

  /** Returns the tokens of a new grant. */
  async createTokens(app: AppWithSecret, changes: Fields = {}): Promise<TokenAnswer> {
    return readTokens(await this.redeem(app, await this.createCode(app, changes)));
  }

  /** Returns the status of an API call with a token. */
  async getStatus(token: string): Promise<number> {
    return (await this.fetch("/v1/contacts", { headers: { authorization: `Bearer ${token}` } })).status;
  }

  /** Returns for each of these tokens whether it is valid. */
  areTokensValid(...tokens: string[]): Promise<boolean[]> {
    return Promise.all(tokens.map(async (token) => (await this.loyalty.verifyToken(token)) !== null));
  }
}

export function createParams(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, value]],
    ),
  );
}

export function createBasicAuth(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}

/** Returns the parameters that a redirect passes to the app. */
export function parseRedirect(response: Response, target = redirectUri): URLSearchParams {
  expect(response.status).toBe(303);
  const location = response.headers.get("location") ?? "";
  expect(location.startsWith(target)).toBe(true);
  return new URL(location).searchParams;
}

export function findSeal(page: string): string {
  const [, seal] = /name="seal" value="([^"]+)"/.exec(page) ?? [];
  if (seal === undefined) throw new Error(`there is no seal in the page: ${page}`);
  return seal;
}

export async function readTokens(response: Response): Promise<TokenAnswer> {
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

/** Returns the status and error of a response to an app, and checks its format. */
export async function readError(response: Response): Promise<[status: number, error: string]> {
  const body = JSON.parse(await response.text());
  expect(Object.keys(body)).toEqual(["error", "error_description"]);
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
  return [response.status, body.error];
}
