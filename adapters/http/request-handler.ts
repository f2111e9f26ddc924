import * as z from "zod";
import { failure, isLoyaltyError, type LoyaltyError } from "../../src/errors.js";
import { errorOf } from "../../src/idempotency/answer.js";
import { putLatest } from "../../src/latest-entries.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { CallKey, Organization } from "../../src/organization.js";
import type { AnonymousRequests } from "./anonymous-requests.js";
import { type Call, inputOf, type ReadBody, readBody } from "./call.js";
import {
  CLIENT_GONE,
  errorAnswer,
  methodNotAllowedAnswer,
  RETRY_AFTER_SECONDS,
  unauthorizedAnswer,
  waitHeaders,
  withMissing,
} from "./error-answer.js";
import { type HttpExtension, isAmong } from "./extension.js";
import type { Seen } from "./observed.js";
import { OpenAnswers } from "./open-answers.js";
import { documentAnswer } from "./openapi/document-answer.js";
import type { RateLimits } from "./rate-limits/rate-limits.js";
import { credentialsOf, type Identified, organizationOf } from "./request/authentication.js";
import {
  type AnswerHeaders,
  APPLIED,
  actorDetailsOf,
  emptyHeaders,
  fileHeaders,
  type HttpRequest,
  type HttpResponse,
  IDEMPOTENCY_KEY,
  idempotencyKeyOf,
  jsonHeaders,
  namesOneHost,
  partsOf,
  wantsStrict,
} from "./request/message.js";
import { type Answer, resultAnswer } from "./result-answer.js";
import {
  type CallRoute,
  type FileRoute,
  find,
  type ListRoute,
  methodsOf,
  type OperationRoute,
} from "./routes.js";
import { abandon, fileBytes, isStreamed, jsonArray } from "./stream.js";

/** The most verified tokens that are remembered. */
const MAX_KNOWN = 10_000;

/** Answers requests by the route table, in the order of checks that the interface promises. */
export class RequestHandler {
  private readonly openAnswers = new OpenAnswers();
  /** The tokens that were found last: those who show them don't wait among strangers. They are asked for each time. */
  private readonly known = new Map<string, true>();

  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly identify: (request: HttpRequest) => Promise<Identified>,
    private readonly limits: RateLimits,
    private readonly anonymousRequests: AnonymousRequests,
    private readonly onError: (error: unknown) => void,
    private readonly extensions: readonly HttpExtension[],
  ) {}

  /** @param seen is told what becomes known of the request. */
  async handle(request: HttpRequest, seen: Seen | null = null): Promise<HttpResponse> {
    let answer: HttpResponse;
    try {
      answer = await this.answer(request, seen);
    } catch (error) {
      answer = this.failed(error, request);
    }
    return request.method === "HEAD" ? withoutBody(answer) : answer;
  }

  private failed(error: unknown, { signal }: HttpRequest): Answer {
    if (signal?.aborted && error === signal.reason)
      return { status: CLIENT_GONE, headers: emptyHeaders(), body: null };
    if (isLoyaltyError(error) && error.status < 500)
      return errorAnswer(error, waitHeaders(error, this.loyalty.now()));
    this.onError(error);
    return errorAnswer(isLoyaltyError(error) ? error : failure("internal_error"));
  }

  private async answer(request: HttpRequest, seen: Seen | null): Promise<HttpResponse> {
    const { method, url, prefix, address } = request;
    if (!namesOneHost(request.headers)) return errorAnswer(failure("malformed_request"));
    const { path, query } = partsOf(url);
    const extension = this.extensions.find(({ paths }) => isAmong(paths, path));
    if (extension !== undefined) return this.answerBeside(extension, request, path);
    const match = find(method, path);
    if (match === null) return this.anonymousRequests.answer(request, async () => unmatchedAnswer(path));
    const { route } = match;
    if (route.scope === null)
      return this.anonymousRequests.answer(request, async () => documentAnswer(prefix));
    const isRefused = this.limits.refusesAnonymous(address);
    const { token } = credentialsOf(request.headers);
    const isNew = token !== null && !this.known.has(token);
    const { principal, key, presented, refusal } = await this.inTurnIf(isNew || isRefused, address, () =>
      this.identify(request),
    );
    if (token !== null) this.note(token, principal !== null, address);
    if (principal === null) {
      const limited = await this.anonymousRefusal(address, isRefused);
      return limited ?? (refusal === null ? unauthorizedAnswer(presented) : errorAnswer(refusal));
    }
    const organization = organizationOf(this.loyalty, principal, request);
    if (seen !== null) seen.organizationId = organization.id;
    const counted = this.limits.ofToken(key, organization.id);
    const limit = counted instanceof Promise ? await counted : counted;
    const isStrict = wantsStrict(request.headers);
    const call = { match, path, query, request, isStrict, shown: presented ? key : null };
    const answer = limit.isExceeded
      ? errorAnswer(failure("rate_limit_exceeded"))
      : await (route.isRead
          ? this.answerOpenly(key, organization, route, call)
          : this.answerOrFail(organization, route, call));
    for (const name in limit.headers) answer.headers[name] = limit.headers[name] ?? "";
    if (isStrict) answer.headers["preference-applied"] = APPLIED;
    return answer;
  }

  private note(token: string, isFound: boolean, address: string | null): void {
    if (!isFound) {
      this.known.delete(token);
    } else if (!this.known.has(token)) {
      putLatest(this.known, token, true, MAX_KNOWN);
      this.anonymousRequests.found(address);
    }
  }

  /** Counts a 401 of an extension, and a 404 for a signed token that does not hold, against the limit of strangers. */
  private async answerBeside(
    extension: HttpExtension,
    request: HttpRequest,
    path: string,
  ): Promise<HttpResponse> {
    const { address } = request;
    const isRefused = this.limits.refusesAnonymous(address);
    const work = (request: HttpRequest) => extension.handle(request, this.onError);
    const isSigned = isAmong(extension.signed ?? [], path);
    const answer = isSigned
      ? await this.anonymousRequests.answerSigned(request, work)
      : isAmong(extension.authenticated ?? [], path)
        ? await this.inTurnIf(isRefused, address, () => work(request))
        : await this.anonymousRequests.answer(request, work, isAmong(extension.waiting ?? [], path));
    if (answer.status !== (isSigned ? 404 : 401)) return answer;
    return (await this.anonymousRefusal(address, isRefused)) ?? answer;
  }

  /** Whoever may be anybody is looked up among strangers. */
  private inTurnIf<T>(isAnonymous: boolean, address: string | null, work: () => Promise<T>): Promise<T> {
    return isAnonymous ? this.anonymousRequests.inTurn(address, "token", work) : work();
  }

  /** @param isRefused whether it was clear before. @returns `null` when the stranger may ask so often. */
  private async anonymousRefusal(address: string | null, isRefused: boolean): Promise<HttpResponse | null> {
    const { isExceeded, headers } = this.limits.ofAnonymous(address);
    if (!isExceeded) return null;
    if (isRefused) await this.anonymousRequests.hesitate();
    return errorAnswer(failure("rate_limit_exceeded"), headers);
  }

  /** Holds places of the token: one while what may turn out large is made, and another while what is large is not read. */
  private async answerOpenly(
    key: string,
    organization: Organization,
    route: CallRoute,
    call: Call,
  ): Promise<Answer> {
    const { openAnswers } = this;
    const release = mayBeLarge(route) ? openAnswers.made.take(key, organization.id) : noPlace;
    if (release === null) return crowdedAnswer();
    const answer = await this.answerOrFail(organization, route, call);
    release();
    const body = openAnswers.held(answer.body, key, organization.id);
    if (body === answer.body) return answer;
    if (body !== null) return { status: answer.status, headers: answer.headers, body };
    if (isStreamed(answer.body)) await abandon(answer.body);
    return crowdedAnswer();
  }

  /** A failure is told with the limits, too. */
  private async answerOrFail(organization: Organization, route: CallRoute, call: Call): Promise<Answer> {
    try {
      if (route.orScope === undefined || !organization.holds(route.orScope))
        organization.require(route.scope);
      const acting = actingIn(organization, route, call.request);
      if (!route.streamed) return await answerWithResult(acting, route, call);
      return await ("file" in route
        ? this.answerWithFile(organization, route, call)
        : this.answerWithList(organization, route, call));
    } catch (error) {
      const answer = this.failed(error, call.request);
      return isLoyaltyError(error) ? withMissing(answer, organization, error) : answer;
    }
  }

  private async answerWithList(organization: Organization, route: ListRoute, call: Call): Promise<Answer> {
    const read = await readBody(route, call.request);
    const items = route.items(organization, inputOf(call, read));
    const body = await jsonArray(items, (error) => this.broke(error, call));
    return { status: 200, headers: listHeaders(route, call.request.prefix), body };
  }

  private async answerWithFile(organization: Organization, route: FileRoute, call: Call): Promise<Answer> {
    const headers = fileHeaders(route.file);
    const read = await readBody(route, call.request);
    const bytes = route.bytes(organization, inputOf(call, read));
    // Who asks for the headers alone has nothing made.
    if (call.request.method === "HEAD") return { status: 200, headers, body: null };
    const body = await fileBytes(bytes, (error) => this.broke(error, call));
    return { status: 200, headers, body };
  }

  /** Tells of a stream that failed, unless its reader has left. */
  private broke(error: unknown, { request: { signal } }: Call): void {
    if (!signal?.aborted) this.onError(error);
  }
}

/** Only those who may say so are believed for whom they act. */
function actingIn(organization: Organization, { method }: CallRoute, { headers }: HttpRequest): Organization {
  const details = method === "GET" ? null : actorDetailsOf(headers);
  if (details === null) return organization;
  organization.require("actor:write");
  return organization.actingFor(details);
}

function noPlace(): void {}

/** Too many answers to the token are being made, or wait to be read. */
function crowdedAnswer(): Answer {
  return errorAnswer(failure("rate_limit_exceeded"), { "retry-after": String(RETRY_AFTER_SECONDS) });
}

/** Lists, and pages of them. */
function mayBeLarge(route: CallRoute): boolean {
  return route.streamed || route.query !== undefined || route.output instanceof z.ZodArray;
}

async function answerWithResult(
  organization: Organization,
  route: OperationRoute,
  call: Call,
): Promise<Answer> {
  const { path, request } = call;
  const key = request.method === "POST" ? idempotencyKeyOf(request.headers) : null;
  const body = readBody(route, request);
  const read = body instanceof Promise ? await body : body;
  if (route.method === "GET")
    return resultAnswer(route, await route.handle(organization, inputOf(call, read)), request.prefix);
  const { answer, isReplayed } = await organization.call(
    key === null
      ? null
      : { ...callKeyOf(key, route, read), request: [request.method, path, read], shown: call.shown },
    (organization) => route.handle(organization, inputOf(call, read)),
  );
  const response =
    answer.kind === "failure"
      ? failureAnswer(organization, errorOf(answer))
      : await resultAnswer(route, answer.result, request.prefix);
  if (isReplayed) response.headers["idempotency-replayed"] = "true";
  return response;
}

/** Names the scopes that a repeat needs too: it never reaches the use case, which checks them otherwise. */
function callKeyOf(value: string, route: OperationRoute, read: ReadBody): Omit<CallKey, "request"> {
  const scopes = "value" in read ? (route.scopesFor?.(read.value) ?? []) : [];
  return { value, field: IDEMPOTENCY_KEY, scopes: [...route.scopes, ...scopes] };
}

function failureAnswer(organization: Organization, error: LoyaltyError): Answer {
  return withMissing(errorAnswer(error), organization, error);
}

/** 405 where the path has other methods, else 404. Both come before the token is looked at. */
function unmatchedAnswer(path: string): HttpResponse {
  const methods = methodsOf(path);
  return methods.length > 0 ? methodNotAllowedAnswer(methods) : errorAnswer(failure("resource_not_found"));
}

/** RFC 9745 and RFC 8594's link relation tell a client of a deprecated list where to go. */
function listHeaders({ deprecated }: ListRoute, prefix: string): AnswerHeaders {
  const headers = jsonHeaders();
  if (deprecated === undefined) return headers;
  headers.deprecation = `@${deprecated.since}`;
  headers.link = `<${prefix}${deprecated.successor}>; rel="successor-version"`;
  return headers;
}

async function withoutBody({ status, headers, body }: HttpResponse): Promise<HttpResponse> {
  if (body === null) return { status, headers, body };
  if (!isStreamed(body)) {
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  }
  await abandon(body);
  return { status, headers, body: null };
}
