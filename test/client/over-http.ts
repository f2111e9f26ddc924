import { type LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { type ClientOptions, createClient, type OrganizationCalls } from "loyalty-kit/client";
import { createHttpApi } from "loyalty-kit/http";
import { openAcme } from "../kit/acme.js";

/** Sends a client's request. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Returns a fetch of a service's HTTP API, where a token is an organization's name and has these scopes. */
export function createFetch(loyalty: LoyaltyService, grantedScopes: readonly Scope[] = scopes): Fetch {
  // The actor is the same as without a client.
  const actor = { kind: "library" } as const;
  const authenticate = async (organizationId: string) => ({ organizationId, scopes: grantedScopes, actor });
  const api = createHttpApi(loyalty, { authenticate, rateLimits: false, basePath: "/loyalty" });
  return (url, init) => api.fetch(new Request(url, init));
}

/** Returns a client of an organization, which calls the service over HTTP. */
export function createHttpClient(loyalty: LoyaltyService, organizationId: string): OrganizationCalls {
  return createClient({
    url: "https://api.example/loyalty",
    token: organizationId,
    fetch: createFetch(loyalty),
  });
}

/** Disturbs a request; `proceed` sends it and returns the response. */
export type Disturbance = (
  proceed: () => Promise<Response>,
  init: RequestInit,
  url: string,
) => Promise<Response>;

/** Opens the organization "acme" and a client. Its first requests get these disturbances, one each. */
export function openDisturbed(disturbances: readonly Disturbance[], options: Partial<ClientOptions> = {}) {
  const shop = openAcme();
  const handler = createFetch(shop.loyalty);
  const requests: RequestInit[] = [];
  const client = createClient({
    url: "https://api.example/loyalty",
    token: "acme",
    fetch: (url, init) => {
      const disturb = disturbances[requests.length];
      requests.push(init);
      const sendRequest = () => handler(url, init);
      return disturb === undefined ? sendRequest() : disturb(sendRequest, init, url);
    },
    ...options,
  });
  return { ...shop, client, requests };
}

/** The request takes effect, but its response never arrives. */
export const loseResponse: Disturbance = async (proceed) => {
  await proceed();
  throw new TypeError("fetch failed");
};

/** The request never arrives. */
export const loseRequest: Disturbance = async () => {
  throw new TypeError("fetch failed");
};

/** A proxy in front of the service responds instead of it. */
export function replaceResponse(
  status: number,
  headers: Record<string, string> = {},
  body = "",
): Disturbance {
  return async () => new Response(body, { status, headers });
}
