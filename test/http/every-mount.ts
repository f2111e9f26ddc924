import { randomUUID } from "node:crypto";
import { LoyaltyService, type Scope, type StorageAdapter, scopes } from "loyalty-kit";
import type { HttpExtension, RateLimitOptions } from "loyalty-kit/http";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { Client } from "./client.js";
import { ApiDocument } from "./document.js";
import { type Mount, mounts, type TestServer } from "./mounts.js";

/** The prefix of QR values of passes. */
export const SHORT_LINK_BASE = "https://qr.example/p";

/** Time stands still between the steps of a test, so everything happens within one millisecond. */
export class StillClock {
  private at = Date.now();

  readonly now = (): number => this.at;

  /** @param ms how far to move the clock. */
  move(ms: number): void {
    this.at += ms;
  }
}

export interface HttpOptions {
  /** Puts something between the service and its storage. */
  readonly wrapStorage?: (storage: StorageAdapter) => StorageAdapter;
  /** Whether the tests provoke errors that the host's logger gets. */
  readonly provokesErrors?: boolean;
  /** Rate limits. Default: limits that no test reaches. */
  readonly rateLimits?: RateLimitOptions;
  /** The endpoints of OAuth 2.0. Default: none. */
  readonly oauth?: (loyalty: LoyaltyService) => HttpExtension;
  /** What is served besides the API. Default: nothing. */
  readonly extensions?: (loyalty: LoyaltyService) => readonly HttpExtension[];
}

const unreachedLimit = { requests: 1_000_000, seconds: 60 };

/** The API in one mount, with its own service and storage. */
export class HttpUnderTest {
  readonly clock = new StillClock();
  /** The errors that the host's logger got. */
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

  /** Where to open sockets to. */
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

  /** A caller with this token, or with none. */
  client(token: string | null): Client {
    return new Client(this.served, this.document, token);
  }

  /** A new organization: `acme` is the library's way to it, `call` and `send` are a client's with every scope. */
  async createOrganization() {
    const acme = this.started.loyalty.organization(`org-${randomUUID()}`);
    const createToken = async (...grantedScopes: Scope[]) =>
      (await acme.apiTokens.create({ name: "Test", scopes: grantedScopes })).token;
    const token = await createToken(...scopes);
    return { acme, token, createToken, ...this.createCaller(token) };
  }

  /** The calls of a client, to be taken apart. */
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

/** Runs the same tests of the API in each of its mounts, or in the selected ones. */
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

/** Runs tests that don't depend on the mount on each database: how a request is handled once it has been read. */
export function testOnEachDatabase(
  statements: (http: HttpUnderTest) => void,
  options: HttpOptions = {},
): void {
  testOnEveryMount(statements, { ...options, only: ({ ownsServer }) => ownsServer });
}
