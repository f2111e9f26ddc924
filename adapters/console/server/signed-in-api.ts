import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { isScope, scopes } from "../../../src/scopes.js";
import {
  createHttpApi,
  type HttpApi,
  type HttpRequest,
  type HttpResponse,
  type RateLimitOptions,
} from "../../http/index.js";
import type { ConsoleUser } from "./console-user.js";

/** The API with the scopes of whoever is signed in. */
export class SignedInApi {
  private readonly api: HttpApi;

  constructor(
    loyalty: LoyaltyService,
    rateLimits: RateLimitOptions | false,
    onError: ((error: unknown) => void) | undefined,
  ) {
    this.api = createHttpApi(loyalty, {
      // Only `call` below writes these bearer tokens, and nobody else reaches this API: they need no signature.
      authenticate: async (token) => userIn(token),
      rateLimits,
      ...(onError && { onError }),
    });
  }

  /** @param url of the call below the API, such as `/v1/contacts`. */
  call(request: HttpRequest, user: ConsoleUser, url: string): Promise<HttpResponse> {
    const headers = [...request.headers].filter(([name]) => !/^(authorization|cookie)$/i.test(name));
    return this.api.handle({
      ...request,
      // A property of the class, which a spread leaves out.
      signal: request.signal,
      url,
      headers: [...headers, ["authorization", `Bearer ${tokenOf(user)}`]],
    });
  }
}

function tokenOf({ organizationId, subject, actorId, scopes: granted = scopes }: ConsoleUser): string {
  const parts = [organizationId, [...granted].sort(), subject, actorId];
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function userIn(token: string) {
  const [organizationId, granted, subject, id]: [string, string[], string, string | null] = JSON.parse(
    Buffer.from(token, "base64url").toString(),
  );
  const actor = { kind: "console" as const, ...(id !== null && { id }) };
  return { organizationId, scopes: granted.filter(isScope), subject, actor };
}
