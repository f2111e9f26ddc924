import { failure, isLoyaltyError, LoyaltyError } from "../../src/errors.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { Organization } from "../../src/organization.js";
import { errorAnswer, JSON_TYPE, methodNotAllowedAnswer, unauthorizedAnswer } from "./error-answer.js";
import { type HttpExtension, isAmong } from "./extension.js";
import type { Seen } from "./observed.js";
import { openApiText } from "./openapi/document.js";
import type { RateLimits } from "./rate-limits/rate-limits.js";
import { type Authenticate, credentialsOf, organizationOf } from "./request/authentication.js";
import { readJson } from "./request/body.js";
import { IDEMPOTENCY_KEY, idempotencyKeyOf } from "./request/idempotency-key.js";
import type { HttpRequest, HttpResponse } from "./request/message.js";
import { partsOf } from "./request/path.js";
import { decodedParams, type Found, find, methodsOf } from "./router.js";
import type { ListRoute, OperationRoute } from "./routes/route.js";
import { abandon, jsonArray } from "./stream.js";

const jsonHeaders = { "content-type": JSON_TYPE };

/** Answers requests by the route table, in the order of checks that the interface promises. */
export class RequestHandler {
  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly authenticate: Authenticate,
    private readonly limits: RateLimits,
    private readonly onError: (error: unknown) => void,
    private readonly extensions: readonly HttpExtension[],
  ) {}

  /** @param seen is told what becomes known of the request. */
  async handle(request: HttpRequest, seen: Seen | null = null): Promise<HttpResponse> {
    const answer = await this.answerOrError(() => this.answer(request, seen));
    return request.method === "HEAD" ? withoutBody(answer) : answer;
  }

  private async answerOrError(work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    try {
      return await work();
    } catch (error) {
      if (isLoyaltyError(error) && error.status < 500) return errorAnswer(error);
      this.onError(error);
      return errorAnswer(isLoyaltyError(error) ? error : failure("internal_error"));
    }
  }

  private async answer(request: HttpRequest, seen: Seen | null): Promise<HttpResponse> {
    const { method, url, headers, prefix, address } = request;
    const { path } = partsOf(url);
    const extension = this.extensions.find(({ paths }) => isAmong(paths, path));
    if (extension !== undefined) return this.answerBeside(extension, request);
    const found = find(method, path);
    if (found === null) return unmatchedAnswer(path);
    const { route } = found;
    if (route.scope === null) return { status: 200, headers: jsonHeaders, body: openApiText(prefix) };
    const { token, presented } = credentialsOf(headers);
    // A host without types may find nobody with undefined.
    const principal = token === null ? null : ((await this.authenticate(token)) ?? null);
    if (token === null || principal === null) return this.strangerAnswer(presented, address);
    const organization = organizationOf(this.loyalty, principal);
    if (seen !== null) seen.organizationId = organization.id;
    const limit = await this.limits.ofToken(token, organization.id);
    const answer = limit.isExceeded
      ? errorAnswer(failure("rate_limit_exceeded"))
      : await this.answerOrError(() => this.answerTo(organization, route, found, request));
    return { ...answer, headers: { ...answer.headers, ...limit.headers } };
  }

  /** Who can't show there who they are is a stranger too. */
  private async answerBeside(extension: HttpExtension, request: HttpRequest): Promise<HttpResponse> {
    const answer = await extension.handle(request, this.onError);
    if (answer.status !== 401) return answer;
    const { isExceeded, headers } = this.limits.ofStranger(request.address);
    return isExceeded ? errorAnswer(failure("rate_limit_exceeded"), headers) : answer;
  }

  private strangerAnswer(presented: boolean, address: string | null): HttpResponse {
    const { isExceeded, headers } = this.limits.ofStranger(address);
    return isExceeded ? errorAnswer(failure("rate_limit_exceeded"), headers) : unauthorizedAnswer(presented);
  }

  private async answerTo(
    organization: Organization,
    route: OperationRoute | ListRoute,
    found: Found,
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const { method, url, headers, prefix } = request;
    const { path, query } = partsOf(url);
    organization.require(route.scope);
    const key = method === "POST" ? idempotencyKeyOf(headers) : null;
    const read = await readBody(route, request);
    const input = () => ({
      params: decodedParams(found.params),
      query: query === null ? {} : found.query.read(query),
      body: bodyOf(read),
    });
    if (route.streamed) {
      const items = await jsonArray(route.items(organization, input()), this.onError);
      return { status: 200, headers: listHeaders(route, prefix), body: items };
    }
    if (key !== null && "value" in read) {
      for (const scope of route.scopesFor?.(read.value) ?? []) organization.require(scope);
    }
    const { answer, isReplayed } = await organization.call(
      key === null ? null : { value: key, field: IDEMPOTENCY_KEY, request: [method, path, read] },
      (organization) => route.handle(organization, input()),
    );
    const replayed = isReplayed ? { "idempotency-replayed": "true" } : {};
    if (answer.kind === "failure") return errorAnswer(new LoyaltyError(answer.detail), replayed);
    if (route.output === null) return { status: route.status, headers: replayed, body: null };
    return {
      status: route.status,
      headers: { ...jsonHeaders, ...replayed },
      body: JSON.stringify(answer.result),
    };
  }
}

/** A body, or why there is none: an idempotency key is looked at before that is told. */
type ReadBody = { readonly value: unknown } | { readonly refusal: LoyaltyError };

async function readBody(route: OperationRoute | ListRoute, request: HttpRequest): Promise<ReadBody> {
  // A refused request has passed by the host's middleware behind its parser, so it never gets to a use case.
  if (route.body === undefined && request.body.kind !== "refused") return { value: undefined };
  try {
    return { value: await readJson(request) };
  } catch (error) {
    if (!isLoyaltyError(error)) throw error;
    return { refusal: error };
  }
}

/** @throws {LoyaltyError} why it could not be read. */
function bodyOf(read: ReadBody): unknown {
  if ("refusal" in read) throw read.refusal;
  return read.value;
}

/** 405 where the path has other methods, else 404. Both come before the token is looked at. */
function unmatchedAnswer(path: string): HttpResponse {
  const methods = methodsOf(path);
  return methods.length > 0 ? methodNotAllowedAnswer(methods) : errorAnswer(failure("resource_not_found"));
}

/** RFC 9745 and RFC 8594's link relation tell a client of a deprecated list where to go. */
function listHeaders({ deprecated }: ListRoute, prefix: string): HttpResponse["headers"] {
  if (deprecated === undefined) return jsonHeaders;
  return {
    ...jsonHeaders,
    deprecation: `@${deprecated.since}`,
    link: `<${prefix}${deprecated.successor}>; rel="successor-version"`,
  };
}

async function withoutBody({ status, headers, body }: HttpResponse): Promise<HttpResponse> {
  if (body === null) return { status, headers, body };
  if (typeof body === "string" || body instanceof Uint8Array) {
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  }
  await abandon(body);
  return { status, headers, body: null };
}
