import { mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, type RequestListener, Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import express, { type Express } from "express";
import express4 from "express4";
import Fastify from "fastify";
import { Hono } from "hono";
import type { LoyaltyService, StorageAdapter } from "loyalty-kit";
import {
  bearerTokens,
  createHttpApi,
  frameworkErrors,
  type HttpApiOptions,
  loyaltyPlugin,
  loyaltyRouter,
  nodeServer,
} from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { isInThisRun } from "../kit/this-run.js";
import { newStorage as inPostgres } from "../postgres/open-storage.js";
import { createStorage } from "../sqlite/new-storage.js";
import { type PlainRequest, type PlainResponse, sendRequest } from "./plain-request.js";

/** The API as a client reaches it. */
export interface TestServer {
  /** The URL below which `/v1` is. */
  readonly baseUrl: string;
  /** The port to open sockets to; `null` without a server. */
  readonly port: number | null;
  fetch(url: string, init: RequestInit): Promise<Response>;
  request(request: PlainRequest): Promise<PlainResponse>;
  close(): Promise<void>;
}

/** A way to mount the API in a host, and how it differs by design. */
export interface Mount {
  readonly name: string;
  /** The path under which the API is mounted; empty at the root. */
  readonly prefix: string;
  /** Whether the API is reached through a socket. */
  readonly hasSocket: boolean;
  /** Whether the host has its own routes: `/host/before`, `/host/echo`, and a fallback for all other paths. */
  readonly hasHostRoutes: boolean;
  /** Whether the host reads bodies first, so that bad UTF-8 appears only as U+FFFD. */
  readonly hostReadsBodies: boolean;
  /** The maximum length of a body of unannounced length, in bytes. */
  readonly streamLimit: number;
  /** Whether the server is ours, so that errors of its HTTP parser also have our format. */
  readonly ownsServer: boolean;
  /** The header from which the host takes the client's address; `null` if it takes the address of the socket. */
  readonly addressHeader: string | null;
  openStorage(): Promise<StorageAdapter>;
  serve(loyalty: LoyaltyService, options: ApiOptions): Promise<TestServer>;
}

/** The API options that tests set. */
export type ApiOptions = Required<Pick<HttpApiOptions, "onError" | "rateLimits">> &
  Pick<HttpApiOptions, "oauth" | "extensions">;

const MIB = 1_048_576;
const bare = {
  prefix: "",
  hasSocket: true,
  hasHostRoutes: false,
  hostReadsBodies: false,
  streamLimit: MIB,
  ownsServer: false,
  addressHeader: "x-forwarded-for",
};
const openMemoryStorage = async () => memoryStorage();

/** Creates a database in its own directory, which closing removes. It need not survive a power failure. */
async function openSqliteStorage(): Promise<StorageAdapter> {
  const directory = await mkdtemp(join(tmpdir(), "loyalty-kit-"));
  const storage = await createStorage(join(directory, "loyalty.db"));
  const close = storage.close.bind(storage);
  storage.close = async () => {
    await close();
    await rm(directory, { recursive: true, force: true });
  };
  return storage;
}

const everyMount: readonly Mount[] = [
  {
    ...bare,
    name: "fetch under a base path",
    prefix: "/loyalty",
    hasSocket: false,
    openStorage: openMemoryStorage,
    async serve(loyalty, options) {
      const { fetch } = createApi(loyalty, options, "/loyalty");
      return {
        baseUrl: "https://api.example/loyalty",
        port: null,
        fetch: (url, init) => fetch(new Request(url, init)),
        request: async ({ url, ...init }) => {
          const response = await fetch(new Request(url, init));
          const contentType = response.headers.get("content-type") ?? "";
          return { status: response.status, contentType, text: await response.text() };
        },
        close: async () => {},
      };
    },
  },
  {
    ...bare,
    name: "node:http",
    ownsServer: true,
    addressHeader: null,
    openStorage: openSqliteStorage,
    serve: listenOnNode,
  },
  {
    ...bare,
    name: "node:http on Postgres",
    ownsServer: true,
    addressHeader: null,
    openStorage: inPostgres,
    serve: listenOnNode,
  },
  {
    ...bare,
    name: "Express",
    hasHostRoutes: true,
    openStorage: openMemoryStorage,
    serve: async (loyalty, options) =>
      listenTo(createHostListener(express(), (host) => host.use(loyaltyRouter(createApi(loyalty, options))))),
  },
  {
    ...bare,
    name: "Express after express.json()",
    hasHostRoutes: true,
    hostReadsBodies: true,
    streamLimit: 2 * MIB,
    openStorage: openMemoryStorage,
    serve: async (loyalty, options) =>
      listenTo(
        createHostListener(express().use(express.json({ limit: "2mb" })), (host) =>
          host.use(loyaltyRouter(createApi(loyalty, options))),
        ),
      ),
  },
  {
    ...bare,
    name: "Express 4 under a prefix, after express.json()",
    prefix: "/loyalty",
    hasHostRoutes: true,
    hostReadsBodies: true,
    streamLimit: 2 * MIB,
    openStorage: openMemoryStorage,
    serve: async (loyalty, options) =>
      listenTo(
        createHostListener(express4().use(express4.json({ limit: "2mb" })), (host) =>
          host.use("/loyalty", loyaltyRouter(createApi(loyalty, options))),
        ),
        "/loyalty",
      ),
  },
  {
    ...bare,
    name: "Fastify",
    hasHostRoutes: true,
    openStorage: openSqliteStorage,
    serve: (loyalty, options) => serveFastify(loyalty, options, ""),
  },
  {
    ...bare,
    name: "Fastify under a prefix",
    prefix: "/loyalty",
    hasHostRoutes: true,
    openStorage: openMemoryStorage,
    serve: (loyalty, options) => serveFastify(loyalty, options, "/loyalty"),
  },
  {
    ...bare,
    name: "Hono",
    openStorage: openMemoryStorage,
    serve: async (loyalty, options) => {
      const { fetch } = createApi(loyalty, options);
      return listenToHono(
        new Hono().all("*", (context) => fetch(context.req.raw)),
        "",
      );
    },
  },
  {
    ...bare,
    name: "Hono, mounted under a prefix",
    prefix: "/loyalty",
    openStorage: openMemoryStorage,
    serve: async (loyalty, options) =>
      listenToHono(new Hono().mount("/loyalty", createApi(loyalty, options, "/loyalty").fetch), "/loyalty"),
  },
];

/** The mounts on the databases of this test run. */
export const mounts = everyMount.filter(({ name }) => isInThisRun(name));

function createApi(loyalty: LoyaltyService, options: ApiOptions, basePath = "") {
  const getClientAddress = ({ headers }: Request) => headers.get("x-forwarded-for");
  return createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    basePath,
    addressOf: getClientAddress,
    ...options,
  });
}

async function listenOnNode(loyalty: LoyaltyService, options: ApiOptions): Promise<TestServer> {
  return listen(nodeServer(createApi(loyalty, options)));
}

/** Creates a host behind a trusted proxy, with routes before and after the API's. */
function createHostListener(host: Express, mount: (host: Express) => void): RequestListener {
  host.set("trust proxy", true);
  host.get("/host/before", (_request, response) => void response.json({ host: "before" }));
  mount(host);
  host.post("/host/echo", express.json(), (request, response) => void response.json(request.body));
  host.use((_request, response) => void response.status(404).json({ host: "fallback" }));
  return host;
}

async function serveFastify(
  loyalty: LoyaltyService,
  options: ApiOptions,
  prefix: string,
): Promise<TestServer> {
  const api = createApi(loyalty, options);
  const host = Fastify({
    frameworkErrors: frameworkErrors(api, { prefix }),
    forceCloseConnections: true,
    trustProxy: true,
  });
  host.get("/host/before", async () => ({ host: "before" }));
  host.register(loyaltyPlugin, { api, prefix });
  host.post("/host/echo", async (request) => request.body);
  host.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ host: "fallback" }));
  await host.listen({ host: "127.0.0.1", port: 0 });
  return describeServer(host.server, prefix, () => host.close());
}

async function listenToHono(host: Hono, prefix: string): Promise<TestServer> {
  const server = createAdaptorServer({ fetch: host.fetch });
  if (!(server instanceof Server)) throw new Error("Hono is to be served by node:http");
  return listen(server, prefix);
}

function listenTo(listener: RequestListener, prefix = ""): Promise<TestServer> {
  return listen(createServer(listener), prefix);
}

async function listen(server: Server, prefix = ""): Promise<TestServer> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return describeServer(server, prefix, async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
}

function describeServer(server: Server, prefix: string, close: () => Promise<void>): TestServer {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
  const { port } = address;
  const baseUrl = `http://127.0.0.1:${port}${prefix}`;
  const agent = new Agent({ keepAlive: true });
  return {
    baseUrl,
    port,
    fetch: (url, init) => fetch(url, init),
    request: (request) => sendRequest(agent, request),
    close: async () => {
      agent.destroy();
      await close();
    },
  };
}
