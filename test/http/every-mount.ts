import { randomUUID } from "node:crypto";
import { LoyaltyService, type Scope, type StorageAdapter, scopes } from "loyalty-kit";
import type { HttpExtension, RateLimitOptions } from "loyalty-kit/http";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { Client } from "./client.js";
import { ApiDocument } from "./document.js";
import { type Mount, mounts, type TestServer } from "./mounts.js";

/** The prefix of the QR code values of passes. */
export const SHORT_LINK_BASE = "https://qr.example/p";

/** A clock that stands still between the steps of a test, so that everything happens within one millisecond. */
export class StillClock {
  private at = Date.now();

  readonly now = (): number => this.at;

  /** Moves the clock by this many milliseconds. */
  move(ms: number): void {
    this.at += ms;
  }
}

export interface HttpOptions {
  /** Wraps the service's storage. */
  readonly wrapStorage?: (storage: StorageAdapter) => StorageAdapter;
  /** Whether the tests provoke errors that the host's logger receives. */
  readonly provokesErrors?: boolean;
  /** Rate limits. Default: limits that no test reaches. */
  readonly rateLimits?: RateLimitOptions;
  /** The OAuth 2.0 endpoints. Default: none. */
  readonly oauth?: (loyalty: LoyaltyService) => HttpExtension;
  /** Extensions to serve besides the API. Default: none. */
  readonly extensions?: (loyalty: LoyaltyService) => readonly HttpExtension[];
}

const unreachedLimit = { requests: 1_000_000, seconds: 60 };

/** The API on one mount, with its own service and storage. */
export class HttpUnderTest {
  readonly clock = new StillClock();
  /** The errors that the host's logger has received. */
  readonly errors: unknown[] = [];
  private running: {
    loyalty: LoyaltyService;
    storage: StorageAdapter;
    server: TestServer;
    document: ApiDocument;
  } | null = null;

  constructor(
    readonly mount: Mount,
    private readonly options: HttpOptions,
  ) {}

  async start(): Promise<void> {
    const mountStorage = await this.mount.openStorage();
    const storage = this.options.wrapStorage?.(mountStorage) ?? mountStorage;
    const onError = (error: unknown) => void this.errors.push(error);
    const loyalty = new LoyaltyService({
      storage,
      clock: this.clock.now,
      shortLinkBase: SHORT_LINK_BASE,
      onError,
    });
    serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example", sendSignIn: () => true });
    const rateLimits = this.options.rateLimits ?? { perToken: unreachedLimit, perAddress: unreachedLimit };
    const oauth = this.options.oauth?.(loyalty);
    const extensions = this.options.extensions?.(loyalty) ?? [];
    const server = await this.mount.serve(loyalty, {
      onError,
      rateLimits,
      extensions,
      ...(oauth && { oauth }),
    });
    const response = await server.fetch(`${server.baseUrl}/v1/openapi.json`, {});
    this.running = { loyalty, storage, server, document: new ApiDocument(await response.json()) };
  }

  async stop(): Promise<void> {
    await this.served.close();
    await this.started.loyalty.close();
    if (!this.options.provokesErrors) expect(this.errors).toEqual([]);
  }

  get served(): TestServer {
    return this.started.server;
  }

  /** The port to open sockets to. */
  get port(): number {
    if (this.served.port === null) throw new Error(`${this.mount.name} has no socket`);
    return this.served.port;
  }

  get loyalty(): LoyaltyService {
    return this.started.loyalty;
  }

  get storage(): StorageAdapter {
    return this.started.storage;
  }

  get document(): ApiDocument {
    return this.started.document;
  }

  /** Returns a client with this token, or with none. */
  client(token: string | null): Client {
    return new Client(this.served, this.document, token);
  }

  /** Creates an organization. `acme` calls it through the library; `call` and `send` over HTTP, with every scope. */
  async createOrganization() {
    const acme = this.started.loyalty.organization(`org-${randomUUID()}`);
    const createToken = async (...grantedScopes: Scope[]) =>
      (await acme.apiTokens.create({ name: "Test", scopes: grantedScopes })).token;
    const token = await createToken(...scopes);
    return { acme, token, createToken, ...this.createCaller(token) };
  }

  /** Returns the calls of a client, so that they can be destructured. */
  createCaller(token: string | null) {
    const { call, send, sendPlainly } = this.client(token);
    return { call, send, sendPlainly };
  }

  private get started() {
    if (this.running === null) throw new Error("the mount is not started yet");
    return this.running;
  }
}

export type TestOrganization = Awaited<ReturnType<HttpUnderTest["createOrganization"]>>;

/** Runs the same API tests on each mount, or on the selected ones. */
export function testOnEveryMount(
  statements: (http: HttpUnderTest) => void,
  { only = () => true, ...options }: HttpOptions & { readonly only?: (mount: Mount) => boolean } = {},
): void {
  describe.each(mounts.filter(only))("$name", (mount) => {
    const http = new HttpUnderTest(mount, options);
    beforeAll(() => http.start());
    afterAll(() => http.stop());
    statements(http);
  });
}

/** Runs tests on each database, if they don't depend on the mount: how a request is handled once it has been read. */
export function testOnEachDatabase(
  statements: (http: HttpUnderTest) => void,
  options: HttpOptions = {},
): void {
  testOnEveryMount(statements, { ...options, only: ({ ownsServer }) => ownsServer });
}
