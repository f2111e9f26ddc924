import { hash } from "node:crypto";
import Database from "better-sqlite3";
import Fastify from "fastify";
import { reportProcessorTime } from "./processor-time.js";

interface TokenRow {
  organization_id: string;
  scopes: string;
  expires_at: number | null;
}

interface UserRow {
  id: string;
  email: string;
  name: string | null;
  phone: string | null;
  external_id: string | null;
  metadata: string;
  created_at: number;
  updated_at: number;
}

/** The request limits of a token and its organization; no benchmark reaches them. */
const QUOTA = 1_000_000_000;
const WINDOW_SECONDS = 86_400;

/* The look-ups of the library's route, written by hand: token by hash, expiry, scope, user by id; and its limits, if wanted. */
const [, , file = "", limits] = process.argv;
const db = new Database(file);
const tokenByHash = db.prepare<[string], TokenRow>(
  "select organization_id, scopes, expires_at from loyalty_api_tokens where hash = ?",
);
const userById = db.prepare<[string, string], UserRow>(
  `select id, email, name, phone, external_id, metadata, created_at, updated_at
   from loyalty_users where organization_id = ? and id = ?`,
);

const windows = new Map<string, { end: number; requests: number }>();

/** Counts a request in the window of a key. */
function countRequest(key: string): { remaining: number; seconds: number } {
  const now = Date.now();
  const open = windows.get(key);
  const window =
    open !== undefined && now < open.end ? open : { end: now + WINDOW_SECONDS * 1_000, requests: 0 };
  if (window !== open) windows.set(key, window);
  window.requests += 1;
  return { remaining: QUOTA - window.requests, seconds: Math.ceil((window.end - now) / 1_000) };
}

const fastify = Fastify();
fastify.get<{ Params: { id: string } }>("/v1/users/:id", (request, reply) => {
  const { authorization = "" } = request.headers;
  const tokenHash = hash("sha256", authorization.slice("Bearer ".length));
  const token = tokenByHash.get(tokenHash);
  if (token === undefined || (token.expires_at !== null && token.expires_at <= Date.now())) {
    return reply.code(401).send({ code: "unauthorized", params: null });
  }
  if (!JSON.parse(token.scopes).includes("user:read")) {
    return reply.code(403).send({ code: "access_denied", message: "The scope user:read is required." });
  }
  if (limits === "on") {
    const tokenWindow = countRequest(tokenHash);
    const organizationWindow = countRequest(token.organization_id);
    const { remaining, seconds } =
      tokenWindow.remaining < organizationWindow.remaining ? tokenWindow : organizationWindow;
    if (remaining < 0) return reply.code(429).send({ code: "rate_limit_exceeded", params: null });
    reply.header("ratelimit-policy", `"default";q=${QUOTA};w=${WINDOW_SECONDS}`);
    reply.header("ratelimit", `"default";r=${remaining};t=${seconds}`);
  }
  const user = userById.get(token.organization_id, request.params.id);
  if (user === undefined) return reply.code(404).send({ code: "resource_not_found", params: null });
  reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
  return reply.send({
    id: user.id,
    object: "user",
    email: user.email,
    name: user.name,
    phone: user.phone,
    externalId: user.external_id,
    metadata: JSON.parse(user.metadata),
    createdAt: new Date(user.created_at).toISOString(),
    updatedAt: new Date(user.updated_at).toISOString(),
  });
});
reportProcessorTime();
console.log(await fastify.listen({ port: 0 }));
