import type * as z from "zod";
import { createLoyaltyError, isLoyaltyError } from "../../../../../src/base/errors.js";
import { errorResponse } from "../../../../http/error-response.js";
import type { HttpRequest, HttpResponse } from "../../../../http/index.js";
import { readJson } from "../../../../http/request/body.js";
import { type ByMethod, jsonResponse, securityHeaders } from "../page-response.js";
import type { PersonSignIn } from "../person-sign-in.js";
import { isSameOriginCall } from "../same-origin.js";
import { authenticationSchema, passkeyNameSchema, registrationSchema } from "./passkey-schemas.js";
import type { PasskeySignIn } from "./passkey-sign-in.js";

/** Maximum size of a request body in bytes, including requests from anonymous clients. */
const MAX_BYTES = 16_384;

const SIGN_IN = "/console/people/passkey";
const CHALLENGE = `${SIGN_IN}/options`;

/** The passkey paths that don't require a session. */
export const publicPasskeyPaths = [SIGN_IN, CHALLENGE] as const;

const OWN = "/console/people/me/passkeys";

type Answering = (request: HttpRequest) => Promise<HttpResponse>;

/** Handles requests for signing in with a passkey, and for managing the signed-in staff member's own passkeys. */
export class PasskeyRoutes {
  private readonly posts: Readonly<Record<string, Answering>> = {
    [CHALLENGE]: (request) =>
      this.handleAnonymous(request, async () => jsonResponse(this.passkeys.signInOptions())),
    [SIGN_IN]: (request) => this.handleAnonymous(request, () => this.signIn(request)),
    [`${OWN}/options`]: (request) => this.handleSignedIn(request, () => this.additionOptions(request)),
    [OWN]: (request) => this.handleSignedIn(request, () => this.add(request)),
  };

  constructor(
    private readonly passkeys: PasskeySignIn,
    private readonly people: PersonSignIn,
  ) {}

  /** Returns the handlers for a path, or `null` if it isn't a passkey path. */
  servedAt(request: HttpRequest, path: string): ByMethod | null {
    const post = this.posts[path];
    if (post !== undefined) return { POST: () => this.handle(request, post) };
    if (!path.startsWith(`${OWN}/`)) return null;
    const remove = () => this.remove(request, path.slice(OWN.length + 1));
    return { DELETE: () => this.handle(request, () => this.handleSignedIn(request, remove)) };
  }

  /** @throws storage errors. */
  private async handle(request: HttpRequest, answering: Answering): Promise<HttpResponse> {
    if (!isSameOriginCall(request)) return unauthorized();
    try {
      return await answering(request);
    } catch (error) {
      if (isLoyaltyError(error)) return errorResponse(error, securityHeaders);
      throw error;
    }
  }

  private async handleAnonymous(
    request: HttpRequest,
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const requestCount = this.passkeys.countRequest(request);
    if (requestCount.isDone) return work();
    return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
      ...securityHeaders,
      "retry-after": String(requestCount.waitSeconds),
    });
  }

  private async handleSignedIn(
    request: HttpRequest,
    work: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    return (await this.people.signedIn(request)) === null ? unauthorized() : work();
  }

  /** Responds to invalid credentials. The response never reveals why a credential is invalid. */
  private async signIn(request: HttpRequest): Promise<HttpResponse> {
    const { credential, stay } = await read(request, authenticationSchema);
    const cookie = await this.passkeys.signIn(credential, stay, request);
    if (cookie === null) return unauthorized();
    return {
      status: 204,
      headers: { "set-cookie": cookie, "cache-control": "no-store", ...securityHeaders },
      body: null,
    };
  }

  private async additionOptions(request: HttpRequest): Promise<HttpResponse> {
    const { name } = await read(request, passkeyNameSchema);
    const options = await this.passkeys.additionOptions(name, request);
    return options === null ? unauthorized() : jsonResponse(options);
  }

  private async add(request: HttpRequest): Promise<HttpResponse> {
    const { name, credential } = await read(request, registrationSchema);
    const added = await this.passkeys.add(name, credential, request);
    return added === null
      ? errorResponse(createLoyaltyError("malformed_request"), securityHeaders)
      : jsonResponse(added);
  }

  private async remove(request: HttpRequest, passkeyId: string): Promise<HttpResponse> {
    const isRemoved = await this.passkeys.remove(passkeyId, request);
    if (!isRemoved) return errorResponse(createLoyaltyError("resource_not_found"), securityHeaders);
    return { status: 204, headers: securityHeaders, body: null };
  }
}

/** @throws {LoyaltyError} `malformed_request` if the body doesn't match the schema. */
async function read<Schema extends z.ZodType>(
  request: HttpRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { success, data } = schema.safeParse(await readJson(request, false, MAX_BYTES));
  if (!success) throw createLoyaltyError("malformed_request");
  return data;
}

const unauthorized = () => errorResponse(createLoyaltyError("unauthorized"), securityHeaders);
