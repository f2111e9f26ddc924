import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { createPages } from "loyalty-kit/pages";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWallets } from "loyalty-kit/wallets";
import { createServerExtensions } from "../../adapters/apps/cli/server/extensions.js";
import { newToken } from "../../src/base/secrets/token-format.js";
import { newId, uuidV7 } from "../../src/base/values/ids.js";
import { encodeJoinCode } from "../../src/base/values/short-link.js";
import { asksForChallenge, createWrongAnswers } from "./passkeys.js";
import { createPublicPaths } from "./public-paths.js";
import { createWalletSetup, PUBLIC_URL } from "./wallet-setup.js";

/*
 * Prints the cost of each path that anonymous clients may request: processor time of one request after a warm-up, the
 * number of its statements, and the bytes of its response. For the table in docs/contributing/attacks.md.
 */
let statements = 0;
const database = new BetterSqlite3(":memory:");
const prototype = Object.getPrototypeOf(database.prepare("SELECT 1"));
database.close();
for (const name of ["run", "get", "all", "iterate"]) {
  const original = prototype[name];
  prototype[name] = function (...args: unknown[]) {
    statements += 1;
    return original.apply(this, args);
  };
}

const folder = await mkdtemp(join(tmpdir(), "loyalty-costs-"));
const storage = await sqliteStorage(join(folder, "loyalty.db"));
const loyalty = new LoyaltyService({ storage, shortLinkBase: `${PUBLIC_URL}/c` });
const setup = await createWalletSetup();
const acme = loyalty.organization("acme");
const publicPathsOfAcme = await createPublicPaths(loyalty, acme, setup, storage);
const { app } = await acme.apps.create({
  name: "App",
  redirectUris: ["https://app.example"],
  scopes: ["user:read"],
});
const wallets = createWallets(loyalty, { publicUrl: PUBLIC_URL, apple: setup.apple, google: setup.google });
const api = createHttpApi(loyalty, {
  authenticate: bearerTokens(loyalty),
  rateLimits: false,
  // Each request comes from another client, so that none sends too many.
  addressOf: () => Array.from({ length: 4 }, () => randomInt(1, 255)).join("."),
  extensions: createServerExtensions(loyalty, {
    ...{ storage, wallets, isHttps: false, rateLimits: false as const, key: null, onError: console.error },
    pages: createPages(loyalty, { joinLimit: { requests: 1_000_000, seconds: 3_600 } }),
    passkeys: PUBLIC_URL,
    oauthIssuer: "http://localhost:3000",
  }),
});

type CreateRequest = () => { readonly path: string; readonly init?: RequestInit };
const createPost = (fields: Record<string, string>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields),
});
const toRequest = ({ path, ...init }: { readonly path: string } & RequestInit) => ({ path, init });
const createJsonPost = (body: unknown): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
const authorize = `/oauth2/authorize?${new URLSearchParams({ response_type: "code", client_id: app.id })}`;
const device = `/wallets/apple/v1/devices/phone/registrations/${publicPathsOfAcme.passType}`;
const wrongCredentials = () => ({
  client_id: app.id,
  client_secret: newToken("secret"),
  token: newToken("refresh"),
});

const sendRequest = (path: string, init: RequestInit = {}) =>
  api.fetch(new Request(`http://localhost:3000${path}`, { redirect: "manual", ...init }));
const challenge = await sendRequest(asksForChallenge.path, asksForChallenge);
const answers = createWrongAnswers(await challenge.text(), publicPathsOfAcme.passkey);

const asks: Readonly<Record<string, CreateRequest>> = {
  logo: () => ({ path: `/wallets/google/logos/${randomBytes(3).toString("hex")}.png` }),
  pass: () => ({ path: publicPathsOfAcme.passes[0] ?? "" }),
  picture: () => ({ path: publicPathsOfAcme.pictures[0] ?? "" }),
  hero: () => ({ path: publicPathsOfAcme.pictures.at(-1) ?? "" }),
  log: () => ({ path: "/wallets/apple/v1/log", init: createJsonPost({ logs: ["x".repeat(60_000)] }) }),
  callback: () => ({ path: "/wallets/google/callback", init: createJsonPost({ x: "x".repeat(16_000) }) }),
  "google link": () => ({ path: "/wallets/google/passes/x/y" }),
  updated: () => ({ path: `${device}?passesUpdatedSince=1` }),
  registration: () => ({
    path: `${device}/x`,
    init: { method: "POST", headers: { authorization: "ApplePass x" } },
  }),
  newest: () => ({
    path: `/wallets/apple/v1/passes/${publicPathsOfAcme.passType}/x`,
    init: { headers: { authorization: "ApplePass x" } },
  }),
  card: () => ({ path: publicPathsOfAcme.cards[0] ?? "" }),
  join: () => ({ path: publicPathsOfAcme.join }),
  "short join": () => ({ path: publicPathsOfAcme.shortJoin }),
  "guessed join": () => ({ path: `/j/${encodeJoinCode(newId("tpl", uuidV7))}` }),
  "drawn picture": () => ({ path: publicPathsOfAcme.drawn.at(-1) ?? "" }),
  joined: () => ({
    path: publicPathsOfAcme.join,
    init: createPost({ name: "Eve", contact: `${randomBytes(8).toString("hex")}@example.com` }),
  }),
  "mailed card": () => ({ path: publicPathsOfAcme.mails.cards[0] ?? "" }),
  "unsubscribe page": () => ({ path: publicPathsOfAcme.mails.unsubscribing[0] ?? "" }),
  unsubscribing: () => ({
    path: publicPathsOfAcme.mails.unsubscribing[1] ?? "",
    init: createPost({ "List-Unsubscribe": "One-Click" }),
  }),
  "forged link": () => ({
    path: (publicPathsOfAcme.mails.unsubscribing[0] ?? "").replace(
      /.{22}$/,
      randomBytes(17).toString("base64url").slice(0, 22),
    ),
  }),
  "address page": () => ({ path: publicPathsOfAcme.mails.addresses[0] ?? "" }),
  "address confirmed": () => ({
    path: publicPathsOfAcme.mails.addresses[1] ?? "",
    init: createPost({ answer: "confirm" }),
  }),
  console: () => ({ path: "/console" }),
  "sign in": () => ({ path: "/console", init: createPost({ token: newToken("api") }) }),
  "passkey challenge": () => toRequest(asksForChallenge),
  "passkey of nobody": () => toRequest(answers.ofNobody()),
  "forged passkey": () => toRequest(answers.forged),
  "console api": () => ({ path: "/console/api/v1/users", init: { headers: { "x-loyalty-console": "1" } } }),
  "sign-out": () => ({ path: "/console/sign-out", init: { method: "POST" } }),
  asset: () => ({
    path: publicPathsOfAcme.files.find((file) => file.includes("/main-") && file.endsWith(".js")) ?? "",
    init: { headers: { "accept-encoding": "gzip" } },
  }),
  "till worker": () => ({ path: "/console/till-worker.js" }),
  reference: () => ({ path: "/reference" }),
  home: () => ({ path: "/" }),
  live: () => ({ path: "/health/live" }),
  ready: () => ({ path: "/health/ready" }),
  authorize: () => ({ path: authorize }),
  token: () => ({
    path: "/oauth2/token",
    init: createPost({ ...wrongCredentials(), grant_type: "refresh_token" }),
  }),
  revoke: () => ({ path: "/oauth2/revoke", init: createPost(wrongCredentials()) }),
  metadata: () => ({ path: "/.well-known/oauth-authorization-server" }),
  "oauth sign-in": () => ({ path: "/oauth2/sign-in", init: createPost({ token: newToken("api") }) }),
  document: () => ({ path: "/v1/openapi.json" }),
  "unknown token": () => ({
    path: "/v1/users",
    init: { headers: { authorization: `Bearer ${newToken("api")}` } },
  }),
  "unknown path": () => ({ path: "/nowhere" }),
};

const TIMES = 200;
for (const [name, next] of Object.entries(asks)) {
  const measureOne = async () => {
    const { path, init } = next();
    const answer = await sendRequest(path, init);
    return { status: answer.status, bytes: (await answer.arrayBuffer()).byteLength };
  };
  for (let at = 0; at < 20; at += 1) await measureOne();
  statements = 0;
  const before = process.cpuUsage();
  let last = await measureOne();
  for (let at = 1; at < TIMES; at += 1) last = await measureOne();
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1_000 / TIMES;
  console.log(
    `${name}: ${last.status}, ${ms.toFixed(2)} ms, ${(statements / TIMES).toFixed(1)} statements, ${last.bytes} bytes`,
  );
}
await wallets.close();
await loyalty.close();
await setup.close();
await rm(folder, { recursive: true });
process.exit(0);
