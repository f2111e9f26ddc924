import { type Principal, withCredential } from "../../../../src/access/principal.js";
import { scopes as allScopes } from "../../../../src/base/scopes.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import {
  authenticateByRequest,
  createHttpApi,
  type HttpApi,
  type HttpRequest,
  type HttpResponse,
  type RateLimitOptions,
} from "../../../http/index.js";
import type { ConsoleUser } from "./console-user.js";

/**
 * Replaces the server's own request object in a call from the console, and so marks the call as authenticated. Only
 * {@link SignedInApi.call} creates one.
 */
class SignedInCall {
  constructor(readonly user: ConsoleUser) {}
}

/** Makes API calls on behalf of signed-in users, with their scopes. */
export class SignedInApi {
  private readonly api: HttpApi;

  constructor(
    loyalty: LoyaltyService,
    rateLimits: RateLimitOptions | false,
    onError: ((error: unknown) => void) | undefined,
  ) {
    this.api = createHttpApi(loyalty, {
      authenticate: authenticateByRequest(async ({ source }) =>
        source instanceof SignedInCall ? principalOf(source.user) : null,
      ),
      rateLimits,
      ...(onError && { onError }),
    });
  }

  /**
   * Makes an API call on behalf of a user and resolves to the response.
   * @param request the browser's request. Its method, body, and headers are passed on, except for headers that contain credentials.
   * @param url the URL to call, relative to the API, such as `/v1/contacts`.
   */
  call(request: HttpRequest, user: ConsoleUser, url: string): Promise<HttpResponse> {
    const headers = [...request.headers].filter(([name]) => !/^(authorization|cookie)$/i.test(name));
    return this.api.handle({
      ...request,
      // `signal` is an accessor of the class, which a spread leaves out.
      signal: request.signal,
      url,
      headers,
      source: new SignedInCall(user),
    });
  }
}

function principalOf({
  organizationId,
  scopes = allScopes,
  subject,
  actorId,
  sessionId,
  credential,
}: ConsoleUser): Principal {
  const actor = { kind: "console" as const, ...(actorId !== null && { id: actorId }) };
  const session = sessionId !== null && { session: sessionId };
  const principal = { organizationId, scopes, subject, actor, ...session };
  return credential === undefined ? principal : withCredential(principal, credential);
}
