import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../imports.js";
import type { Installation } from "./installed.js";

/** Code of a host. A type that couldn't be resolved would accept any value, or none. */
const program = `
import { LoyaltyService, type User } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/observability";

const loyalty = new LoyaltyService({ storage: memoryStorage() });
const metrics = createMetrics(loyalty);
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onResponse: metrics.onResponse });
const user: User = await loyalty.organization("acme").users.create({ email: "ada@example.com" });
export const created: Date | string = user.createdAt;
// @ts-expect-error an email is a text
export const wrong: number = user.email;
// @ts-expect-error users have no such field
export const unknown: unknown = user.nothing;

// A route handler as Next.js checks it: it is given its own kind of Request, and how the path was matched.
interface NextRequest extends Request {
  readonly nextUrl: URL;
}
type RouteHandler = (
  request: NextRequest,
  context: { params: Promise<{ path: string[] }> },
) => Response | Promise<Response>;
export const GET = api.fetch satisfies RouteHandler;
export const POST = ((request) => api.fetch(request)) satisfies RouteHandler;
`;

/**
 * Code of a host that exports what the calls of each entry point return, and generates declaration files. Every type
 * must have a name that the host can import.
 */
const exporting = `
import { LoyaltyService, scopes } from "loyalty-kit";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { createClient } from "loyalty-kit/client";
import { createConsole } from "loyalty-kit/console";
import { apiTokens, createHttpApi, loyaltyPlugin, loyaltyRouter, nodeListener, nodeServer, postgresRateLimits, redisRateLimits } from "loyalty-kit/http";
import { fromBetterSqlite3 } from "loyalty-kit/joining";
import { createOAuth, jwtTokens, type OAuthOptions } from "loyalty-kit/auth";
import { createMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics, openTelemetry } from "loyalty-kit/observability";
import { createPages } from "loyalty-kit/pages";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { testLoyalty, testStorage } from "loyalty-kit/testing";
import { createWallets, pictureDecoder } from "loyalty-kit/wallets";
import { createAutomationWorker, createSegmentWorker, createWebhookWorker, verifyWebhook } from "loyalty-kit/webhooks";

export const loyalty = new LoyaltyService({ storage: await sqliteStorage("cafe.db") });
export const onPostgres = new LoyaltyService({ storage: await postgresStorage("postgres://localhost/cafe") });
export const inMemory = new LoyaltyService({ storage: memoryStorage() });
export const acme = loyalty.organization("acme");
export const { users, contacts, tags, templates, passes, stamps, events, webhooks, people, audit, segments } = acme;
export const { statistics, apps, grants, subscriptions, settings, messages, messageSettings, automations } = acme;
export const { messageDeliveries, exports: everything, apiTokens: tokens } = acme;
export const ada = await users.create({ email: "ada@example.com" });
export const page = await contacts.list();
export const receipt = loyalty.transaction((tx, organization) => organization("acme").stamps.add("pass"));
export const counted = loyalty.transaction(async (tx) => tx.client.prepare("select 1").get());
export const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
export const [listener, server, router] = [nodeListener(api), nodeServer(api), loyaltyRouter(api)];
export const plugin = loyaltyPlugin;
export const client = createClient({ url: "https://cafe.example", token: "token" });
export const { users: usersOverHttp, stamps: stampsOverHttp, segments: segmentsOverHttp } = client;
export const worker = createWebhookWorker(loyalty);
export const [automationWorker, segmentWorker] = [createAutomationWorker(loyalty), createSegmentWorker(loyalty)];
export const [metrics, tracer] = [createMetrics(loyalty), await openTelemetry()];
export const [pages, screens] = [createPages(loyalty), createConsole(loyalty)];
export const wallets = (options: Parameters<typeof createWallets>[1]) => createWallets(loyalty, options);
export const mail = (options: Parameters<typeof createMail>[1]) => createMail(loyalty, options);
export const oauth = (options: OAuthOptions) => createOAuth(loyalty, options);
export const bearers = (options: Parameters<typeof jwtTokens>[0]) => jwtTokens(options);
export const limits = (pool: Parameters<typeof postgresRateLimits>[0]) => postgresRateLimits(pool);
export const findings = checkStorage(memoryStorage());
export const clock = (options: Parameters<typeof testLoyalty>[0]) => testLoyalty(options);
export const calls = { copyStorage, fromBetterSqlite3, pictureDecoder, redisRateLimits, testStorage, verifyWebhook, scopes };
`;

/** Code of a CommonJS host, which Node.js resolves separately. */
const commonProgram = `
import loyalty = require("loyalty-kit");
import memory = require("loyalty-kit/memory");
export const service = new loyalty.LoyaltyService({ storage: memory.memoryStorage() });
// @ts-expect-error a service needs a storage
export const wrong = new loyalty.LoyaltyService({});
`;

/** Compiles a strict project that imports these entry points, resolved as by bundlers and as by Node.js. */
export function findTypeProblems(
  { folder }: Installation,
  entryPoints: readonly string[],
  compiler: string,
): readonly string[] {
  const imports = entryPoints.map((name, at) => `export * as entry${at} from "${name}";`);
  writeFileSync(join(folder, "host.ts"), `${imports.join("\n")}\n${program}`);
  writeFileSync(join(folder, "common.cts"), commonProgram);
  return [
    ["bundler", "esnext", "host.ts"],
    ["nodenext", "nodenext", "host.ts", "common.cts"],
  ].flatMap(([moduleResolution, module, ...files]) => {
    const compilerOptions = {
      ...{ module, moduleResolution, target: "es2023", lib: ["es2023"], types: ["node"], noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, preserveSymlinks: false },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const file = join(root, "node_modules", compiler, "bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    return status === 0 ? [] : [`types with ${compiler} and ${moduleResolution}:\n${stdout.slice(0, 4_000)}`];
  });
}

/**
 * Compiles a host that exports values from every entry point, with declaration files as `tsc --init` configures them.
 */
export function findDeclarationProblems({ folder }: Installation): readonly string[] {
  writeFileSync(join(folder, "exporting.ts"), exporting);
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"], strict: true },
    ...{ declaration: true, emitDeclarationOnly: true, outDir: "declarations" },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["exporting.ts"] }));
  const file = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
  return status === 0 ? [] : [`declarations of a host:\n${stdout.slice(0, 4_000)}`];
}
