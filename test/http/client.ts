import assert from "node:assert/strict";
import type { ApiDocument } from "./document.js";
import type { TestServer } from "./mounts.js";
import { assertShapes } from "./shapes.js";

/** A response; `body` is `undefined` if it is empty. */
export interface TestResponse {
  readonly status: number;
  readonly body: unknown;
}

export interface FullResponse extends TestResponse {
  readonly headers: Headers;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/** Calls the API. Checks every response against the API's shapes and the OpenAPI document. */
export class Client {
  constructor(
    private readonly server: TestServer,
    private readonly document: ApiDocument,
    private readonly token: string | null,
  ) {}

  /** Calls an endpoint, with a JSON body if given. */
  readonly call = async (method: string, path: string, json?: unknown): Promise<TestResponse> => {
    const { status, contentType, text } = await this.server.request({
      method,
      url: this.server.baseUrl + path,
      headers: { ...this.credentials, ...(json !== undefined && jsonHeaders) },
      body: json === undefined ? null : JSON.stringify(json),
    });
    return { status, body: this.parseAndCheck(method, path, status, contentType, text) };
  };

  /** Sends a request with these headers and this body. */
  readonly send = async (
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<FullResponse> => {
    const { status, headers, text } = await this.sendPlainly(method, path, options);
    const contentType = headers.get("content-type") ?? "";
    assertNotCached(headers, `${method} ${path}`);
    return { status, headers, body: this.parseAndCheck(method, path, status, contentType, text) };
  };

  /** Like {@link send}, for responses that need not follow the document. */
  readonly sendPlainly = async (method: string, path: string, { headers, body }: RequestOptions = {}) => {
    const response = await this.server.fetch(this.server.baseUrl + path, {
      method,
      headers: { ...this.credentials, ...headers },
      ...(body !== undefined && { body, duplex: "half" }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  private get credentials(): Record<string, string> {
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` };
  }

  /** Parses the body of a response and checks it against the document. */
  private parseAndCheck(
    method: string,
    path: string,
    status: number,
    contentType: string,
    text: string,
  ): unknown {
    const context = `${method} ${path} answered ${status} ${text.slice(0, 500)}`;
    assert.ok(status < 500, context);
    if (contentType === "application/zip") {
      this.document.assertPromisedFile(method, path, status, contentType);
      assert.match(text, /^(PK|$)/, context);
      return undefined;
    }
    if (text !== "") assert.match(contentType, /^application\/json(;|$)/, context);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    assertShapes(body);
    this.document.assertPromised(method, path, status, body);
    return body;
  }
}

/** Asserts that a response is neither cached nor read as another content type. */
function assertNotCached(headers: Headers, context: string): void {
  assert.equal(headers.get("cache-control"), "no-store", context);
  assert.equal(headers.get("x-content-type-options"), "nosniff", context);
}

export const jsonHeaders = { "content-type": "application/json" };

/** Reads the text at a path of a response's body, such as `apiToken.id`. */
export function readText({ body }: TestResponse, path: string): string {
  let value: unknown = body;
  for (const key of path.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }
  assert.ok(typeof value === "string", `no text at ${path} of ${JSON.stringify(body)}`);
  return value;
}
