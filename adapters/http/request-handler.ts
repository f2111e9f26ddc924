import * as z from "zod";
import { putAndEvict } from "../../src/bounded-map.js";
import type { FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import { ProcessorTime } from "../../src/concurrency/step.js";
import { createLoyaltyError, isLoyaltyError, type LoyaltyError } from "../../src/errors.js";
import { toLoyaltyError } from "../../src/idempotency/call-outcome.js";
import { organizationInternals, serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { CallKey, Organization } from "../../src/organization.js";
import { assertNoUnknownKeys } from "../../src/resources/unknown-keys.js";
import { type AnonymousRequests, LEAST_MS, msOfSending } from "./anonymous-requests.js";
import { lists, longPages } from "./answer-queues.js";
import { writeJsonArray } from "./chunked-text.js";
import {
  CLIENT_GONE,
  errorResponse,
  methodNotAllowedResponse,
  RETRY_AFTER_SECONDS,
  retryHeaders,
  unauthorizedResponse,
  withMissing,
} from "./error-response.js";
import { type HttpExtension, isAmong } from "./extension.js";
import { openApiText } from "./openapi/document.js";
import type { OrganizationTimes } from "./rate-limits/organization-times.js";
import { organizationTurns, type RateLimits } from "./rate-limits/rate-limits.js";
import { secondsLeft } from "./rate-limits/store.js";
import {
  type AuthenticationResult,
  type Credentials,
  openOrganization,
  parseCredentials,
} from "./request/authentication.js";
import { assertKnownFields, MAX_BODY_BYTES, readJson } from "./request/body.js";
import { parseHost } from "./request/headers.js";
import {
  emptyHeaders,
  fileHeaders,
  type HttpRequest,
  type HttpResponse,
  IDEMPOTENCY_KEY,
  jsonHeaders,
  PREFERENCE_APPLIED,
  parseActorDetails,
  parseIdempotencyKey,
  prefersStrict,
  type ResponseHeaders,
  splitUrl,
} from "./request/http-message.js";
import type { RequestInfo } from "./request-log.js";
import { ResponseLimits } from "./response-limits.js";
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
import { cancelStream, fileBytes, jsonArray } from "./stream.js";

/** A response in progress; the headers about limits are added last. */
interface Answer extends HttpResponse {
  readonly headers: ResponseHeaders;
}

/** The most verified tokens that are remembered. */
const MAX_KNOWN = 10_000;

/** Answers requests by the route table, in the order of checks that the interface promises. */
export class RequestHandler {
  private readonly openAnswers = new ResponseLimits();
  private readonly lists = lists();
  private readonly longPages = longPages();
  /** The tokens that were found last: those who show them don't wait among strangers. They are asked for each time. */
  private readonly known = new Map<string, true>();

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly identify: (
      request: HttpRequest,
      credentials: Credentials,
    ) => Promise<AuthenticationResult>,
    private readonly limits: RateLimits,
    private readonly times: OrganizationTimes | null,
    private readonly anonymousRequests: AnonymousRequests,
    private readonly onError: (error: unknown) => void,
    private readonly extensions: readonly HttpExtension[],
  ) {}

  /** @param seen collects what becomes known about the request. */
  async handle(request: HttpRequest, seen: RequestInfo | null = null): Promise<HttpResponse> {
    let answer: HttpResponse;
    try {
      answer = await this.respond(request, seen);
    } catch (error) {
      answer = this.toErrorResponse(error, request);
    }
    return request.method === "HEAD" ? withoutBody(answer) : answer;
  }

  private toErrorResponse(error: unknown, { signal }: HttpRequest): Answer {
    if (signal?.aborted && error === signal.reason)
      return { status: CLIENT_GONE, headers: emptyHeaders(), body: null };
    if (isLoyaltyError(error) && error.status < 500)
      return errorResponse(error, retryHeaders(error, serviceInternals(this.loyalty).now()));
    this.onError(error);
    return errorResponse(isLoyaltyError(error) ? error : createLoyaltyError("internal_error"));
  }

  private async respond(request: HttpRequest, seen: RequestInfo | null): Promise<HttpResponse> {
    const { method, url, prefix, address } = request;
    if (parseHost(request.headers) === null) return errorResponse(createLoyaltyError("malformed_request"));
    const { path, query } = splitUrl(url);
    const extension = this.extensions.find(({ paths }) => isAmong(paths, path));
    if (extension !== undefined) return this.respondByExtension(extension, request, path);
    const match = findRoute(method, path);
    if (match === null) return this.anonymousRequests.answer(request, async () => unmatchedAnswer(path));
    const { route } = match.target;
    if (route.scope === null)
      return this.anonymousRequests.answer(request, async () => documentAnswer(prefix));
    const isRefused = this.limits.isAnonymousExhausted(address);
    const credentials = parseCredentials(request.headers);
    const { token } = credentials;
    const isNew = token !== null && !this.known.has(token);
    const { principal, key, presented, refusal } = await this.queueIf(isNew || isRefused, address, () =>
      this.identify(request, credentials),
    );
    if (token !== null) this.note(token, principal !== null, address);
    if (principal === null) {
      const limited = await this.anonymousRefusal(address, isRefused);
      return limited ?? (refusal === null ? unauthorizedResponse(presented) : errorResponse(refusal));
    }
    const time = this.times?.createProcessorTime(principal.organizationId) ?? new ProcessorTime(() => {});
    const organization = openOrganization(this.loyalty, principal, request, time);
    if (seen !== null) seen.organizationId = organization.id;
    const counted = this.limits.countToken(key, organization.id);
    const limit = counted instanceof Promise ? await counted : counted;
    const isStrict = prefersStrict(request.headers);
    const call = { match, path, query, request, time, isStrict, credential: presented ? key : null };
    const made = limit.isExceeded
      ? errorResponse(createLoyaltyError("rate_limit_exceeded"))
      : (this.timeRefusal(organization.id) ?? (await this.respondOrFail(organization, route, call)));
    this.times?.count(organization.id, LEAST_MS + msOfSending(made));
    const held = route.isRead ? this.withSlot(made, key, organization.id) : made;
    const answer = held instanceof Promise ? await held : held;
    for (const name in limit.headers) answer.headers[name] = limit.headers[name] ?? "";
    if (isStrict) answer.headers["preference-applied"] = PREFERENCE_APPLIED;
    return answer;
  }

  private note(token: string, isFound: boolean, address: string | null): void {
    if (!isFound) {
      this.known.delete(token);
    } else if (!this.known.has(token)) {
      putAndEvict(this.known, token, true, MAX_KNOWN);
      this.anonymousRequests.noteKnownToken(address);
    }
  }

  /** Counts a 401 of an extension, and a 404 for a signed token that does not hold, against the limit of strangers. */
  private async respondByExtension(
    extension: HttpExtension,
    request: HttpRequest,
    path: string,
  ): Promise<HttpResponse> {
    const { address } = request;
    const isRefused = this.limits.isAnonymousExhausted(address);
    const work = (request: HttpRequest) => extension.handle(request, this.onError);
    const isSigned = isAmong(extension.signed ?? [], path);
    const answer = isSigned
      ? await this.anonymousRequests.answerSigned(request, work)
      : isAmong(extension.authenticated ?? [], path)
        ? await this.queueIf(isRefused, address, () => work(request))
        : await this.anonymousRequests.answer(request, work, isAmong(extension.waiting ?? [], path));
    if (answer.status !== (isSigned ? 404 : 401)) return answer;
    return (await this.anonymousRefusal(address, isRefused)) ?? answer;
  }

  /** Unauthenticated requests are queued with other anonymous clients. */
  private queueIf<T>(isAnonymous: boolean, address: string | null, work: () => Promise<T>): Promise<T> {
    return isAnonymous ? this.anonymousRequests.runQueued(address, "token", work) : work();
  }

  /** @param isRefused whether the refusal was known before. @returns `null` if the client may make this many requests. */
  private async anonymousRefusal(address: string | null, isRefused: boolean): Promise<HttpResponse | null> {
    const { isExceeded, headers } = this.limits.countAnonymous(address);
    if (!isExceeded) return null;
    if (isRefused) await this.anonymousRequests.delayRefusal();
    return errorResponse(createLoyaltyError("rate_limit_exceeded"), headers);
  }

  /** Refuses an organization that has spent its processor time. @returns `null` if it has not. */
  private timeRefusal(organizationId: string): Answer | null {
    const full = this.times?.ask(organizationId) ?? null;
    if (full === null) return null;
    return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
      "retry-after": String(secondsLeft(full)),
    });
  }

  /** The answer, which holds a place of the token while it is large and not read. */
  private withSlot(answer: Answer, key: string, organizationId: string): Answer | Promise<Answer> {
    const body = this.openAnswers.withSlot(answer.body, key, organizationId);
    if (body === answer.body) return answer;
    if (body !== null) return { status: answer.status, headers: answer.headers, body };
    return isStreamed(answer.body) ? cancelStream(answer.body).then(crowdedAnswer) : crowdedAnswer();
  }

  /** The headers about limits are added to failures too. */
  private async respondOrFail(organization: Organization, route: CallRoute, call: Call): Promise<Answer> {
    try {
      if (route.orScope === undefined || !organizationInternals(organization).holds(route.orScope))
        organizationInternals(organization).require(route.scope);
      // With a body it is its turn once that is there.
      const turn = awaitsBody(route, call.request) ? null : organizationTurns.begin(organization.id);
      if (turn !== null) await begun(turn, call.request);
      const acting = actingIn(organization, route, call.request);
      const make = () => this.made(acting, route, call);
      const queue = this.pickQueue(route, call);
      return await (queue === null ? make() : queue.run(organization.id, make, call.request));
    } catch (error) {
      const answer = this.toErrorResponse(error, call.request);
      return isLoyaltyError(error) ? withMissing(answer, organization, error) : answer;
    }
  }

  /** Returns the queue in which an answer waits that may turn out large; `null` for any other. */
  private pickQueue(route: CallRoute, call: Call): FairSemaphore | null {
    if (!route.streamed && isLongPage(route, call)) return this.longPages;
    return route.isRead && mayBeLarge(route) ? this.lists : null;
  }

  private made(organization: Organization, route: CallRoute, call: Call): Promise<Answer> {
    if (!route.streamed) return answerWithResult(organization, route, call);
    return "file" in route
      ? this.answerWithFile(organization, route, call)
      : this.answerWithList(organization, route, call);
  }

  private async answerWithList(organization: Organization, route: ListRoute, call: Call): Promise<Answer> {
    const read = await readBody(organization, route, call);
    const items = route.items(organization, readInput(call, read));
    const body = await jsonArray(items, (error) => this.onStreamError(error, call), call.time);
    return { status: 200, headers: listHeaders(route, call.request.prefix), body };
  }

  private async answerWithFile(organization: Organization, route: FileRoute, call: Call): Promise<Answer> {
    const headers = fileHeaders(route.file);
    const read = await readBody(organization, route, call);
    const bytes = route.bytes(organization, readInput(call, read));
    // Who asks for the headers alone has nothing made.
    if (call.request.method === "HEAD") return { status: 200, headers, body: null };
    const body = await fileBytes(bytes, (error) => this.onStreamError(error, call), call.time);
    return { status: 200, headers, body };
  }

  /** Reports a failed stream, unless its reader has left or has lost the right to it. */
  private onStreamError(error: unknown, { request: { signal } }: Call): void {
    const isRefusal = isLoyaltyError(error) && error.status < 500;
    if (!signal?.aborted && !isRefusal) this.onError(error);
  }
}

/** Only those who may say so are believed for whom they act. */
function actingIn(organization: Organization, { method }: CallRoute, { headers }: HttpRequest): Organization {
  const details = method === "GET" ? null : parseActorDetails(headers);
  if (details === null) return organization;
  organizationInternals(organization).require("actor:write");
  return organization.actingFor(details);
}

/** Too many answers to the token are being made, or wait to be read. */
function crowdedAnswer(): Answer {
  return errorResponse(createLoyaltyError("rate_limit_exceeded"), {
    "retry-after": String(RETRY_AFTER_SECONDS),
  });
}

/** Lists, and pages of them. */
function mayBeLarge(route: CallRoute): boolean {
  return route.streamed || route.query !== undefined || route.output instanceof z.ZodArray;
}

/** A list of more items than this is written in pieces. */
const LONG_LIST = 100;

/** Returns whether a page may be costly because it has many large items. */
function isLongPage({ isWide }: OperationRoute, { match, query }: Call): boolean {
  if (!isWide || query === null) return false;
  const { limit } = match.target.query.read(query);
  return typeof limit === "number" && limit > LONG_LIST;
}

/** A request whose route was found. */
interface Call {
  readonly match: RouteMatch;
  readonly path: string;
  readonly query: string | null;
  readonly request: HttpRequest;
  /** Counts what it takes. */
  readonly time: ProcessorTime;
  /** The token that came with it, if one did. */
  readonly credential: string | null;
  /** A strict call is refused for unknown parameters and fields. */
  readonly isStrict: boolean;
}

async function answerWithResult(
  organization: Organization,
  route: OperationRoute,
  call: Call,
): Promise<Answer> {
  const { path, request, time } = call;
  const key = request.method === "POST" ? parseIdempotencyKey(request.headers) : null;
  const body = readBody(organization, route, call);
  const read = body instanceof Promise ? await body : body;
  const handle = (organization: Organization) =>
    time.slice(() => route.handle(organization, readInput(call, read)));
  if (route.method === "GET") return buildAnswer(route, await handle(organization), call);
  const { answer, isReplayed } = await organizationInternals(organization).call(
    key === null
      ? null
      : {
          ...time.slice(() => buildCallKey(key, route, read)),
          ...{ request: [request.method, path, read], credential: call.credential },
        },
    handle,
  );
  const response =
    answer.kind === "failure"
      ? failureAnswer(organization, toLoyaltyError(answer))
      : await buildAnswer(route, answer.result, call, answer.isNew);
  if (isReplayed) response.headers["idempotency-replayed"] = "true";
  return response;
}

/** Names the scopes that a repeat needs too: it never reaches the use case, which checks them otherwise. */
function buildCallKey(value: string, route: OperationRoute, read: ReadBody): Omit<CallKey, "request"> {
  const scopes = "value" in read ? (route.scopesFor?.(read.value) ?? []) : [];
  return { value, field: IDEMPOTENCY_KEY, scopes: [...route.scopes, ...scopes] };
}

function failureAnswer(organization: Organization, error: LoyaltyError): Answer {
  return withMissing(errorResponse(error), organization, error);
}

function buildAnswer(
  route: OperationRoute,
  result: unknown,
  call: Call,
  isNew = false,
): Answer | Promise<Answer> {
  const status = isNew ? (route.statusOfNew ?? route.status) : route.status;
  const { time, request } = call;
  return time.slice(() => resultAnswer(route, result, request.prefix, status, time));
}

function resultAnswer(
  { output, location, isWide }: OperationRoute,
  result: unknown,
  prefix: string,
  status: number,
  time: ProcessorTime,
): Answer | Promise<Answer> {
  if (output === null) return { status, headers: emptyHeaders(), body: null };
  if (Array.isArray(result) && result.length > LONG_LIST) return listAnswer(status, result, time);
  if (isWide && isPage(result)) return pageAnswer(status, result, time);
  const headers = jsonHeaders();
  if (location !== undefined) headers.location = `${prefix}${location}/${requireId(result)}`;
  return { status, headers, body: JSON.stringify(result) };
}

async function listAnswer(status: number, items: readonly unknown[], time: ProcessorTime): Promise<Answer> {
  return { status, headers: jsonHeaders(), body: await writeJsonArray("", items, "", time) };
}

async function pageAnswer(
  status: number,
  { content, ...totals }: WidePage,
  time: ProcessorTime,
): Promise<Answer> {
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
  throw new TypeError("what an answer leads to has no id");
}

function readInput(call: Call, read: ReadBody) {
  const { match, query, isStrict } = call;
  const body = requireBody(read);
  const input = {
    params: readParams(match),
    query: query === null ? {} : match.target.query.read(query),
    body,
  };
  if (isStrict) assertNoUnknown(call, body);
  return input;
}

/** @throws {LoyaltyError} `validation_failed` on the parameters that are unknown, or else the fields of the body. */
function assertNoUnknown({ match, query }: Call, body: unknown): void {
  const { route, query: reader } = match.target;
  if (query !== null) assertNoUnknownKeys(reader.unknown(query));
  if (route.scope !== null && route.body !== undefined && body !== undefined)
    assertKnownFields(route.body, body, route.output);
}

/** A body, or its error, because the idempotency key is checked before the error is returned. */
type ReadBody = { readonly value: unknown } | { readonly refusal: LoyaltyError };

function readBody(organization: Organization, route: CallRoute, call: Call): ReadBody | Promise<ReadBody> {
  // A refused request has passed by the host's middleware behind its parser, so it never gets to a use case.
  const { body } = call.request;
  if (route.body === undefined && body.kind !== "refused") return withoutValue;
  if (route.needsNoBody && body.kind === "none") return withoutValue;
  return readValue(organization, call, route.needsNoBody === true);
}

const withoutValue: ReadBody = { value: undefined };

async function readValue(
  { id }: Organization,
  { request, time }: Call,
  mayBeEmpty: boolean,
): Promise<ReadBody> {
  const inTurn = async (parse: () => unknown) => {
    const turn = organizationTurns.begin(id);
    if (turn !== null) await begun(turn, request);
    return time.slice(parse);
  };
  try {
    return { value: await readJson(request, mayBeEmpty, MAX_BODY_BYTES, inTurn) };
  } catch (error) {
    if (!isLoyaltyError(error)) throw error;
    return { refusal: error };
  }
}

/** Whether a body is still to come. */
function awaitsBody({ body: schema }: CallRoute, { body }: HttpRequest): boolean {
  return schema !== undefined && body.kind === "bytes";
}

/** Resolves when it is the turn of a request. @throws the reason of its signal if its client has left. */
async function begun(turn: Promise<void>, request: HttpRequest): Promise<void> {
  await turn;
  request.signal?.throwIfAborted();
}

/** @throws {LoyaltyError} why it could not be read. */
function requireBody(read: ReadBody): unknown {
  if ("refusal" in read) throw read.refusal;
  return read.value;
}

/** The most recent encoding of the document: its 400 KB take a millisecond to encode, and anyone may request it. */
let encoded: { readonly prefix: string; readonly bytes: Uint8Array<ArrayBuffer> } | null = null;

function documentAnswer(prefix: string): HttpResponse {
  if (encoded?.prefix !== prefix) encoded = { prefix, bytes: new TextEncoder().encode(openApiText(prefix)) };
  return { status: 200, headers: jsonHeaders(), body: encoded.bytes };
}

/** 405 where the path has other methods, else 404. Both come before the token is looked at. */
function unmatchedAnswer(path: string): HttpResponse {
  const methods = listMethods(path);
  return methods.length > 0
    ? methodNotAllowedResponse(methods)
    : errorResponse(createLoyaltyError("resource_not_found"));
}

/** RFC 9745 and RFC 8594's link relation tell a client of a deprecated list where to go. */
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

async function withoutBody({ status, headers, body }: HttpResponse): Promise<HttpResponse> {
  if (body === null) return { status, headers, body };
  if (!isStreamed(body)) {
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  }
  await cancelStream(body);
  return { status, headers, body: null };
}
