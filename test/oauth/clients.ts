import { createHash } from "node:crypto";
import * as oauth from "oauth4webapi";
import { AuthorizationCode } from "simple-oauth2";

/** A third-party app that uses a third-party library. */
export interface OAuthClient {
  /** The URL that it sends the browser to. */
  readonly authorizationUrl: string;
  /** Redeems the code when the browser returns. @returns the access token, as `refresh` does. */
  redeem(callback: URL): Promise<string>;
  refresh(): Promise<string>;
  /** Revokes the refresh token, and with it the grant. */
  revoke(): Promise<void>;
}

export interface Registration {
  readonly issuer: string;
  readonly id: string;
  /** `null` for a public app. */
  readonly secret: string | null;
  readonly redirectUri: string;
  readonly scope: string;
}

/** For `it.each`. */
export const clients = [
  { name: "oauth4webapi", connect: connectOauth4webapi },
  { name: "simple-oauth2", connect: connectSimpleOauth2 },
];

/**
 * Connects with oauth4webapi. It discovers the server by its metadata, checks each response, and sends its secret, if
 * it has one, in HTTP Basic.
 */
export async function connectOauth4webapi(registration: Registration): Promise<OAuthClient> {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(registration.issuer);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client = { client_id: registration.id };
  const authentication =
    registration.secret === null ? oauth.None() : oauth.ClientSecretBasic(registration.secret);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: registration.id,
    redirect_uri: registration.redirectUri,
    scope: registration.scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  let refreshToken = "";
  const recordTokens = ({ access_token, refresh_token }: oauth.TokenEndpointResponse): string => {
    refreshToken = refresh_token ?? "";
    return access_token;
  };
  return {
    authorizationUrl: url.href,
    async redeem(callback) {
      const answer = oauth.validateAuthResponse(server, client, callback, state);
      const { redirectUri } = registration;
      const response = await oauth.authorizationCodeGrantRequest(
        ...[server, client, authentication, answer, redirectUri, verifier, insecure],
      );
      return recordTokens(await oauth.processAuthorizationCodeResponse(server, client, response));
    },
    async refresh() {
      const args = [server, client, authentication, refreshToken, insecure] as const;
      const response = await oauth.refreshTokenGrantRequest(...args);
      return recordTokens(await oauth.processRefreshTokenResponse(server, client, response));
    },
    async revoke() {
      const args = [server, client, authentication, refreshToken, insecure] as const;
      await oauth.processRevocationResponse(await oauth.revocationRequest(...args));
    },
  };
}

/** Connects with simple-oauth2. It is configured with all addresses, and sends its secret in the form. */
async function connectSimpleOauth2(registration: Registration): Promise<OAuthClient> {
  const { issuer, id, secret, redirectUri, scope } = registration;
  if (secret === null) throw new Error("simple-oauth2 has no public clients");
  const client = new AuthorizationCode({
    client: { id, secret },
    auth: {
      tokenHost: issuer,
      authorizePath: "/oauth2/authorize",
      tokenPath: "/oauth2/token",
      revokePath: "/oauth2/revoke",
    },
    options: { authorizationMethod: "body" },
  });
  const verifier = "a-verifier-of-simple-oauth2-with-43-characters";
  const state = "a state";
  let tokens: Awaited<ReturnType<typeof client.getToken>> | null = null;
  const recordTokens = (response: NonNullable<typeof tokens>): string => {
    tokens = response;
    return String(response.token.access_token);
  };
  const getTokens = () => {
    if (tokens === null) throw new Error("there are no tokens yet");
    return tokens;
  };
  return {
    authorizationUrl: client.authorizeURL({
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
    async redeem({ searchParams }) {
      if (searchParams.get("state") !== state) throw new Error("the state is another");
      const code = searchParams.get("code") ?? "";
      return recordTokens(
        await client.getToken({ code, redirect_uri: redirectUri, code_verifier: verifier }),
      );
    },
    refresh: async () => recordTokens(await getTokens().refresh()),
    revoke: () => getTokens().revoke("refresh_token"),
  };
}
