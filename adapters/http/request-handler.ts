import { failure, isLoyaltyError } from "../../src/errors.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { type Authenticate, credentialsOf, organizationOf } from "./authentication.js";
import { readJson } from "./body.js";
import { errorAnswer, JSON_TYPE, methodNotAllowedAnswer, unauthorizedAnswer } from "./error-answer.js";
import type { HttpRequest, HttpResponse } from "./message.js";
import { openApiText } from "./openapi/document.js";
import { decodedParams, find, methodsOf } from "./router.js";
import type { ListRoute } from "./routes/route.js";
import { abandon, jsonArray } from "./stream.js";

const jsonHeaders = { "content-type": JSON_TYPE };

/** Answers requests by the route table, in the order of checks that the interface promises. */
export class RequestHandler {
  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly authenticate: Authenticate,
    private readonly onError: (error: unknown) => void,
  ) {}

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const answer = await this.answerOrError(request);
    return request.method === "HEAD" ? withoutBody(answer) : answer;
  }

  private async answerOrError(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.answer(request);
    } catch (error) {
      if (isLoyaltyError(error) && error.status < 500) return errorAnswer(error);
      this.onError(error);
      return errorAnswer(isLoyaltyError(error) ? error : failure("internal_error"));
    }
  }

  private async answer(request: HttpRequest): Promise<HttpResponse> {
    const { method, url, headers, body, prefix } = request;
    const mark = url.indexOf("?");
    const path = mark < 0 ? url : url.slice(0, mark);
    const found = find(method, path);
    if (found === null) return unmatchedAnswer(path);
    const { route } = found;
    if (route.scope === null) return { status: 200, headers: jsonHeaders, body: openApiText(prefix) };
    const { token, presented } = credentialsOf(headers);
    // A host without types may find nobody with undefined.
    const principal = token === null ? null : ((await this.authenticate(token)) ?? null);
    if (principal === null) return unauthorizedAnswer(presented);
    const organization = organizationOf(this.loyalty, principal);
    organization.require(route.scope);
    const input = {
      params: decodedParams(found.params),
      query: mark < 0 ? {} : found.query.read(url.slice(mark + 1)),
      // A refused request has passed by the host's middleware behind its parser, so it never gets to a use case.
      body: route.body !== undefined || body.kind === "refused" ? await readJson(request) : undefined,
    };
    if (route.streamed) {
      const items = await jsonArray(route.items(organization, input), this.onError);
      return { status: 200, headers: listHeaders(route, prefix), body: items };
    }
    const result = await route.handle(organization, input);
    if (route.output === null) return { status: route.status, headers: {}, body: null };
    return { status: route.status, headers: jsonHeaders, body: JSON.stringify(result) };
  }
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
  if (typeof body === "string") {
    return { status, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: null };
  }
  await abandon(body);
  return { status, headers, body: null };
}
