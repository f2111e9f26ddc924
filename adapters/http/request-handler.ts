import * as z from "zod";
import { putAndEvict } from "../../src/base/bounded-map.js";
import type { FairSemaphore } from "../../src/base/concurrency/fair-semaphore.js";
import { ProcessorTime } from "../../src/base/concurrency/step.js";
import { createLoyaltyError, isLoyaltyError, type LoyaltyError } from "../../src/base/errors.js";
import { assertNoUnknownKeys } from "../../src/base/unknown-keys.js";
import { organizationInternals, serviceInternals } from "../../src/internals.js";
import type { Principal } from "../../src/kernel/caller-rights.js";
import { type CallKey, toLoyaltyError } from "../../src/kernel/idempotency/idempotent-call.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { Organization } from "../../src/organization.js";
import { type AnonymousRequests, estimateSendingMs, MIN_CHARGE_MS } from "./anonymous-requests.js";
import { writeJsonArray } from "./chunked-text.js";
import {
  addMissingHeader,
  CLIENT_CLOSED_STATUS,
  errorResponse,
  methodNotAllowedResponse,
  RETRY_AFTER_SECONDS,
  retryHeaders,
  unauthorizedResponse,
} from "./error-response.js";
import { type HttpExtension, matchesAnyPath } from "./extension.js";
import { getOpenApiJson } from "./openapi/document.js";
import type { OrganizationTimes } from "./rate-limits/organization-times.js";
import { organizationTurns, type RateLimits } from "./rate-limits/rate-limits.js";
import { getSecondsLeft } from "./rate-limits/store.js";
import {
  type AuthenticationResult,
  type Credentials,
  openOrganization,
  parseCredentials,
} from "./request/authentication.js";
import { assertKnownFields, MAX_BODY_BYTES, readJson } from "./request/body.js";
import {
  emptyHeaders,
  fileHeaders,
  type HttpRequest,
  type HttpResponse,
  IDEMPOTENCY_KEY,
  jsonHeaders,
  PREFERENCE_APPLIED,
  parseActorDetails,
  parseHost,
  parseIdempotencyKey,
  prefersStrict,
  type ResponseHeaders,
  splitUrl,
} from "./request/http-message.js";
import type { RequestInfo } from "./request-log.js";
import { createListQueue, createLongPageQueue, ResponseLimits } from "./response-limits.js";
import {
  type CallRoute,
  type FileRoute,
  findRoute,
  type ListRoute,
  listMethods,
  type OperationRoute,
  type RouteMatch,
  readParams,
} from "./routes.js";
import { cancelStream, readFileBytes, streamJsonArray } from "./stream.js";

/** A response in progress, to which the rate limit headers are added last. */
interface MutableResponse extends HttpResponse {
  readonly headers: ResponseHeaders;
}

/** Maximum number of remembered valid tokens. */
const MAX_KNOWN_TOKENS = 10_000;

/** What decides who may call, how often, and which paths there are besides the API's. */
interface RequestHandlerDependencies {
  readonly identify: (request: HttpRequest, credentials: Credentials) => Promise<AuthenticationResult>;
  readonly limits: RateLimits;
  /** Counts each organization's processor time; `null` if it isn't limited. */
  readonly times: OrganizationTimes | null;
  readonly anonymousRequests: AnonymousRequests;
  readonly onError: (error: unknown) => void;
  readonly extensions: readonly HttpExtension[];
}

/** The sender of an authenticated request. */
interface Caller extends Pick<Call, "credential"> {
  readonly principal: Principal;
  /** Identifies the token in rate limits. */
  readonly key: string;
}

/** Routes requests, checks them, and runs the operations that they call. The order of the checks is part of the API's contract. */
export class RequestHandler {
  private readonly responseLimits = new ResponseLimits();
  private readonly listQueue = createListQueue();
  private readonly longPageQueue = createLongPageQueue();
  /**
   * Tokens found valid most recently. Requests with these tokens don't queue with anonymous clients, but each request still
   * verifies its token.
   */
  private readonly knownTokens = new Map<string, true>();

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly dependencies: RequestHandlerDependencies,
  ) {}

  /**
   * Handles a request. If handling fails, resolves to an error response instead of rejecting.
   * @param info the object that collects information for the request log, or `null` if there is no log.
   */
  async handle(request: HttpRequest, info: RequestInfo | null = null): Promise<HttpResponse> {
    let response: HttpResponse;
    try {
      response = await this.respond(request, info);
    } catch (error) {
      response = this.toErrorResponse(error, request);
    }
    return request.method === "HEAD" ? removeBody(response) : response;
  }

  private toErrorResponse(error: unknown, { signal }: HttpRequest): MutableResponse {
    if (signal?.aborted && error === signal.reason)
      return { status: CLIENT_CLOSED_STATUS, headers: emptyHeaders(), body: null };
    if (isLoyaltyError(error) && error.status < 500)
      return errorResponse(error, retryHeaders(error, serviceInternals(this.loyalty).now()));
    this.dependencies.onError(error);
    return errorResponse(isLoyaltyError(error) ? error : createLoyaltyError("internal_error"));
  }

  private async respond(request: HttpRequest, info: RequestInfo | null): Promise<HttpResponse> {
    const { method, url, prefix } = request;
    if (parseHost(request.headers) === null) return errorResponse(createLoyaltyError("malformed_request"));
    const { path, query } = splitUrl(url);
    const extension = this.dependencies.extensions.find(({ paths }) => matchesAnyPath(paths, path));
    if (extension !== undefined) return this.respondByExtension(extension, request, path);
    const match = findRoute(method, path);
    if (match === null)
      return this.dependencies.anonymousRequests.respond(request, async () => createUnmatchedResponse(path));
    const { route } = match.target;
    if (route.scope === null)
      return this.dependencies.anonymousRequests.respond(request, async () => createDocumentResponse(prefix));
    const caller = await this.authenticate(request);
    if ("refusal" in caller) return caller.refusal;
    const { principal, key, credential } = caller;
    const time =
      this.dependencies.times?.createProcessorTime(principal.organizationId) ?? new ProcessorTime(() => {});
    const organization = openOrganization(this.loyalty, principal, request, time);
    if (info !== null) info.organizationId = organization.id;
    const isStrict = prefersStrict(request.headers);
    return this.respondWithinLimits(organization, key, route, {
      match,
      path,
      query,
      request,
      time,
      isStrict,
      credential,
    });
  }

  /** Finds out who sent a request. A request without a valid token counts toward the client's limit. */
  private async authenticate(request: HttpRequest): Promise<Caller | { readonly refusal: HttpResponse }> {
    const { address } = request;
    const isExhausted = this.dependencies.limits.isAnonymousExhausted(address);
    const credentials = parseCredentials(request.headers);
    const { token } = credentials;
    const isNew = token !== null && !this.knownTokens.has(token);
    const { principal, key, presented, refusal } = await this.queueIf(isNew || isExhausted, address, () =>
      this.dependencies.identify(request, credentials),
    );
    if (token !== null) this.recordToken(token, principal !== null, address);
    if (principal !== null) return { principal, key, credential: presented ? key : null };
    const limitRefusal = await this.findAnonymousRefusal(address, isExhausted);
    return {
      refusal: limitRefusal ?? (refusal === null ? unauthorizedResponse(presented) : errorResponse(refusal)),
    };
  }

  /**
   * Handles an authenticated request within the limits of its token and its organization, and adds the headers that describe
   * these limits.
   * @param key identifies the token.
   */
  private async respondWithinLimits(
    organization: Organization,
    key: string,
    route: CallRoute,
    call: Call,
  ): Promise<MutableResponse> {
    const limit = await this.dependencies.limits.countToken(key, organization.id);
    const fullResponse = limit.isExceeded
      ? errorResponse(createLoyaltyError("rate_limit_exceeded"))
      : (this.findTimeRefusal(organization.id) ?? (await this.respondToCall(organization, route, call)));
    this.dependencies.times?.count(organization.id, MIN_CHARGE_MS + estimateSendingMs(fullResponse));
    const response = route.isRead ? await this.withSlot(fullResponse, key, organization.id) : fullResponse;
    for (const name in limit.headers) response.headers[name] = limit.headers[name] ?? "";
    if (call.isStrict) response.headers["preference-applied"] = PREFERENCE_APPLIED;
    return response;
  }

  private recordToken(token: string, isValid: boolean, address: string | null): void {
    if (!isValid) {
      this.knownTokens.delete(token);
    } else if (!this.knownTokens.has(token)) {
      putAndEvict(this.knownTokens, token, true, MAX_KNOWN_TOKENS);
      this.dependencies.anonymousRequests.recordKnownToken(address);
    }
  }

  /**
   * Handles a request by an extension. A 401, or a 404 for an invalid signed token, counts toward the limit for anonymous clients.
   */
  private async respondByExtension(
    extension: HttpExtension,
    request: HttpRequest,
    path: string,
  ): Promise<HttpResponse> {
    const { address } = request;
    const isExhausted = this.dependencies.limits.isAnonymousExhausted(address);
    const runExtension = (request: HttpRequest) => extension.handle(request, this.dependencies.onError);
    const isSigned = matchesAnyPath(extension.signed ?? [], path);
    const response = isSigned
      ? await this.dependencies.anonymousRequests.respondToSigned(request, runExtension)
      : matchesAnyPath(extension.authenticated ?? [], path)
        ? await this.queueIf(isExhausted, address, () => runExtension(request))
        : await this.dependencies.anonymousRequests.respond(
            request,
            runExtension,
            matchesAnyPath(extension.waiting ?? [], path),
          );
    if (response.status !== (isSigned ? 404 : 401)) return response;
    return (await this.findAnonymousRefusal(address, isExhausted)) ?? response;
  }

  /** Runs the work, queued with other anonymous clients if the request isn't known to be authenticated. */
  private queueIf<T>(isAnonymous: boolean, address: string | null, work: () => Promise<T>): Promise<T> {
    return isAnonymous ? this.dependencies.anonymousRequests.runQueued(address, "token", work) : work();
  }

  /**
   * Counts an unauthenticated request.
   * @param isExhausted whether the limit was already exhausted before the request.
   * @returns the refusal; `null` if the client is within its limit.
   */
  private async findAnonymousRefusal(
    address: string | null,
    isExhausted: boolean,
  ): Promise<HttpResponse | null> {
    const { isExceeded, headers } = this.dependencies.limits.countAnonymous(address);
    if (!isExceeded) return null;
    if (isExhausted) await this.dependencies.anonymousRequests.delayRefusal();
    return errorResponse(createLoyaltyError("rate_limit_exceeded"), headers);
  }

  /** Returns the refusal for an organization that has used up its processor time; `null` if it hasn't. */
  private findTimeRefusal(organizationId: string): MutableResponse | null {
    const exhausted = this.dependencies.times?.checkQuota(organizationId) ?? null;
    if (exhausted === null) return null;
    return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
      "retry-after": String(getSecondsLeft(exhausted)),
    });
  }

  /**
   * Lets a large response hold one of the token's slots until it is read.
   * @returns the response, or a 429 if no slot is left.
   */
  private async withSlot(
    response: MutableResponse,
    key: string,
    organizationId: string,
  ): Promise<MutableResponse> {
    const body = this.responseLimits.withSlot(response.body, key, organizationId);
    if (body === response.body) return response;
    if (body !== null) return { status: response.status, headers: response.headers, body };
    if (isStreamed(response.body)) await cancelStream(response.body);
    return createOverloadResponse();
  }

  /** Handles an authenticated request. Errors become responses here, so that the rate limit headers are added to them too. */
  private async respondToCall(
    organization: Organization,
    route: CallRoute,
    call: Call,
  ): Promise<MutableResponse> {
    try {
      if (route.orScope === undefined || !organizationInternals(organization).holds(route.orScope))
        organizationInternals(organization).require(route.scope);
      // A request with a body waits for its turn only after the body has arrived.
      const turnStart = hasUnreadBody(route, call.request) ? null : organizationTurns.begin(organization.id);
      if (turnStart !== null) await waitForTurn(turnStart, call.request);
      const actingOrganization = openForActor(organization, route, call.request);
      const createResponse = () => this.respondToRoute(actingOrganization, route, call);
      const queue = this.pickQueue(route, call);
      return await (queue === null
        ? createResponse()
        : queue.run(organization.id, createResponse, call.request));
    } catch (error) {
      const response = this.toErrorResponse(error, call.request);
      return isLoyaltyError(error) ? addMissingHeader(response, organization, error) : response;
    }
  }

  /** Returns the queue for a response that may turn out large; `null` for any other response. */
  private pickQueue(route: CallRoute, call: Call): FairSemaphore | null {
    if (!route.streamed && isLongPage(route, call)) return this.longPageQueue;
    return route.isRead && mayBeLarge(route) ? this.listQueue : null;
  }

  private respondToRoute(organization: Organization, route: CallRoute, call: Call): Promise<MutableResponse> {
    if (!route.streamed) return respondWithResult(organization, route, call);
    return "file" in route
      ? this.respondWithFile(organization, route, call)
      : this.respondWithList(organization, route, call);
  }

  private async respondWithList(
    organization: Organization,
    route: ListRoute,
    call: Call,
  ): Promise<MutableResponse> {
    const input = await readBody(organization, route, call);
    const items = route.items(organization, readInput(call, input));
    const body = await streamJsonArray(items, (error) => this.onStreamError(error, call), call.time);
    return { status: 200, headers: listHeaders(route, call.request.prefix), body };
  }

  private async respondWithFile(
    organization: Organization,
    route: FileRoute,
    call: Call,
  ): Promise<MutableResponse> {
    const headers = fileHeaders(route.file);
    const input = await readBody(organization, route, call);
    const bytes = route.bytes(organization, readInput(call, input));
    // A HEAD request produces no bytes.
    if (call.request.method === "HEAD") return { status: 200, headers, body: null };
    const body = await readFileBytes(bytes, (error) => this.onStreamError(error, call), call.time);
    return { status: 200, headers, body };
  }

  /** Reports a failed stream, unless its reader has disconnected or has lost its permission. */
  private onStreamError(error: unknown, { request: { signal } }: Call): void {
    const isRefusal = isLoyaltyError(error) && error.status < 500;
    if (!signal?.aborted && !isRefusal) this.dependencies.onError(error);
  }
}

/**
 * Returns the organization acting on behalf of the person that the request names. Naming a person requires the scope `actor:write`.
 */
function openForActor(
  organization: Organization,
  { method }: CallRoute,
  { headers }: HttpRequest,
): Organization {
  const details = method === "GET" ? null : parseActorDetails(headers);
  if (details === null) return organization;
  organizationInternals(organization).require("actor:write");
  return organization.actingFor(details);
}

/** Response if too many of the token's responses are in progress or waiting to be read. */
function createOverloadResponse(): MutableResponse {
  return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
    "retry-after": String(RETRY_AFTER_SECONDS),
  });
}

/** Returns whether the route returns a list or a page. */
function mayBeLarge(route: CallRoute): boolean {
  return route.streamed || route.query !== undefined || route.output instanceof z.ZodArray;
}

/** Number of items above which a list is serialized in chunks. */
const LONG_LIST_LENGTH = 100;

/** Returns whether a page may be costly because it has many large items. */
function isLongPage({ isWide }: OperationRoute, { match, query }: Call): boolean {
  if (!isWide || query === null) return false;
  const { limit } = match.target.query.read(query);
  return typeof limit === "number" && limit > LONG_LIST_LENGTH;
}

/** A request whose route has been found. */
interface Call {
  readonly match: RouteMatch;
  readonly path: string;
  readonly query: string | null;
  readonly request: HttpRequest;
  /** Counts the call's processor time. */
  readonly time: ProcessorTime;
  /** The token sent with the request; `null` if there was none. */
  readonly credential: string | null;
  /** Whether unknown parameters and fields are rejected. */
  readonly isStrict: boolean;
}

async function respondWithResult(
  organization: Organization,
  route: OperationRoute,
  call: Call,
): Promise<MutableResponse> {
  const { path, request, time } = call;
  const key = request.method === "POST" ? parseIdempotencyKey(request.headers) : null;
  const body = readBody(organization, route, call);
  const input = body instanceof Promise ? await body : body;
  const handle = (organization: Organization) =>
    time.slice(() => route.handle(organization, readInput(call, input)));
  if (route.method === "GET") return createOperationResponse(route, await handle(organization), call);
  const { outcome, isReplayed } = await organizationInternals(organization).call(
    key === null
      ? null
      : {
          ...time.slice(() => buildCallKey(key, route, input)),
          ...{ request: [request.method, path, input], credential: call.credential },
        },
    handle,
  );
  const response =
    outcome.kind === "failure"
      ? createFailureResponse(organization, toLoyaltyError(outcome))
      : await createOperationResponse(route, outcome.result, call, outcome.isNew);
  if (isReplayed) response.headers["idempotency-replayed"] = "true";
  return response;
}

/**
 * Builds a call's idempotency key. It includes the required scopes, because a repeated call never reaches the use case that would
 * check them.
 */
function buildCallKey(value: string, route: OperationRoute, input: ReadBody): Omit<CallKey, "request"> {
  const scopes = "value" in input ? (route.scopesFor?.(input.value) ?? []) : [];
  return { value, field: IDEMPOTENCY_KEY, scopes: [...route.scopes, ...scopes] };
}

function createFailureResponse(organization: Organization, error: LoyaltyError): MutableResponse {
  return addMissingHeader(errorResponse(error), organization, error);
}

function createOperationResponse(
  route: OperationRoute,
  result: unknown,
  call: Call,
  isNew = false,
): MutableResponse | Promise<MutableResponse> {
  const status = isNew ? (route.statusOfNew ?? route.status) : route.status;
  return call.time.slice(() => createResultResponse(route, result, status, call));
}

function createResultResponse(
  { output, location, isWide }: OperationRoute,
  result: unknown,
  status: number,
  { time, request }: Call,
): MutableResponse | Promise<MutableResponse> {
  if (output === null) return { status, headers: emptyHeaders(), body: null };
  if (Array.isArray(result) && result.length > LONG_LIST_LENGTH)
    return createListResponse(status, result, time);
  if (isWide && isPage(result)) return createPageResponse(status, result, time);
  const headers = jsonHeaders();
  if (location !== undefined) headers.location = `${request.prefix}${location}/${requireId(result)}`;
  return { status, headers, body: JSON.stringify(result) };
}

async function createListResponse(
  status: number,
  items: readonly unknown[],
  time: ProcessorTime,
): Promise<MutableResponse> {
  return { status, headers: jsonHeaders(), body: await writeJsonArray("", items, "", time) };
}

async function createPageResponse(
  status: number,
  { content, ...totals }: WidePage,
  time: ProcessorTime,
): Promise<MutableResponse> {
  const body = await writeJsonArray('{"content":', content, `,${JSON.stringify(totals).slice(1)}`, time);
  return { status, headers: jsonHeaders(), body };
}

interface WidePage {
  readonly content: readonly unknown[];
}

function isPage(result: unknown): result is WidePage {
  return (
    typeof result === "object" && result !== null && "content" in result && Array.isArray(result.content)
  );
}

function requireId(result: unknown): string {
  if (typeof result === "object" && result !== null && "id" in result && typeof result.id === "string")
    return result.id;
  throw new TypeError("the result of a call that creates a resource has no id");
}

function readInput(call: Call, parsedBody: ReadBody) {
  const { match, query, isStrict } = call;
  const body = requireBody(parsedBody);
  const input = {
    params: readParams(match),
    query: query === null ? {} : match.target.query.read(query),
    body,
  };
  if (isStrict) assertNoUnknown(call, body);
  return input;
}

/** @throws {LoyaltyError} `validation_failed` on unknown parameters, or if there are none, on unknown fields of the body. */
function assertNoUnknown({ match, query }: Call, body: unknown): void {
  const { route, query: reader } = match.target;
  if (query !== null) assertNoUnknownKeys(reader.findUnknownParameters(query));
  if (route.scope !== null && route.body !== undefined && body !== undefined)
    assertKnownFields(route.body, body, route.output);
}

/** A body, or the error from reading it. The error is thrown only after the idempotency key has been checked. */
type ReadBody = { readonly value: unknown } | { readonly refusal: LoyaltyError };

function readBody(organization: Organization, route: CallRoute, call: Call): ReadBody | Promise<ReadBody> {
  // A request that the host's parser rejected has skipped the host's middleware behind the parser, so it must never reach a use
  // case.
  const { body } = call.request;
  if (route.body === undefined && body.kind !== "refused") return emptyBody;
  if (route.needsNoBody && body.kind === "none") return emptyBody;
  return readValue(organization, call, route.needsNoBody === true);
}

const emptyBody: ReadBody = { value: undefined };

async function readValue(
  { id }: Organization,
  { request, time }: Call,
  mayBeEmpty: boolean,
): Promise<ReadBody> {
  const parseInTurn = async (parse: () => unknown) => {
    const turnStart = organizationTurns.begin(id);
    if (turnStart !== null) await waitForTurn(turnStart, request);
    return time.slice(parse);
  };
  try {
    return { value: await readJson(request, mayBeEmpty, MAX_BODY_BYTES, parseInTurn) };
  } catch (error) {
    if (!isLoyaltyError(error)) throw error;
    return { refusal: error };
  }
}

/** Returns whether a body has yet to be read. */
function hasUnreadBody({ body: schema }: CallRoute, { body }: HttpRequest): boolean {
  return schema !== undefined && body.kind === "bytes";
}

/**
 * Resolves when it is the request's turn.
 * @throws the signal's abort reason, if the client has disconnected.
 */
async function waitForTurn(turnStart: Promise<void>, request: HttpRequest): Promise<void> {
  await turnStart;
  request.signal?.throwIfAborted();
}

/** @throws {LoyaltyError} the error from reading the body. */
function requireBody(input: ReadBody): unknown {
  if ("refusal" in input) throw input.refusal;
  return input.value;
}

/** The most recently encoded document. Encoding its 400 KB takes a millisecond, and anyone may request it. */
let cachedDocument: { readonly prefix: string; readonly bytes: Uint8Array<ArrayBuffer> } | null = null;

function createDocumentResponse(prefix: string): HttpResponse {
  if (cachedDocument?.prefix !== prefix)
    cachedDocument = { prefix, bytes: new TextEncoder().encode(getOpenApiJson(prefix)) };
  return { status: 200, headers: jsonHeaders(), body: cachedDocument.bytes };
}

/** Returns 405 if the path has other methods, otherwise 404. Both are returned before the token is checked. */
function createUnmatchedResponse(path: string): HttpResponse {
  const methods = listMethods(path);
  return methods.length > 0
    ? methodNotAllowedResponse(methods)
    : errorResponse(createLoyaltyError("resource_not_found"));
}

/**
 * Returns a list's headers. They point clients of a deprecated list to its successor (RFC 9745 and the `successor-version` link
 * relation).
 */
function listHeaders({ deprecated }: ListRoute, prefix: string): ResponseHeaders {
  const headers = jsonHeaders();
  if (deprecated === undefined) return headers;
  headers.deprecation = `@${deprecated.since}`;
  headers.link = `<${prefix}${deprecated.successor}>; rel="successor-version"`;
  return headers;
}

function isStreamed(body: HttpResponse["body"]): body is AsyncIterable<string | Uint8Array> {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

async function removeBody({ status, headers, body }: HttpResponse): Promise<HttpResponse> {
  if (body === null) return { status, headers, body };
  if (!isStreamed(body)) {
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  }
  await cancelStream(body);
  return { status, headers, body: null };
}
