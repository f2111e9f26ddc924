/*
 * A café's Hono app with a login of its own, a code by mail. The cookie of that login is enough for the loyalty interface
 * too: guests see only their own card there, and the staff look cards up and stamp them.
 *
 *   npx tsx examples/hono/server.ts
 *
 * It listens on PORT (3000), keeps everything in DATABASE (cafe.db), and knows its STAFF (anna@cafe.example) by their mail.
 * To try it, with the code that the server prints in place of a mail:
 *
 *   curl localhost:3000/login -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'
 *   curl localhost:3000/login/code -c ada.txt -H 'Content-Type: application/json' -d '{"email":"ada@example.com","code":"<code>"}'
 *   curl localhost:3000/loyalty/v1/users/<user>/passes -b ada.txt
 */
import { randomInt, randomUUID } from "node:crypto";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { isLoyaltyError, LoyaltyService, type Principal } from "loyalty-kit";
import { authenticateByRequest, createHttpApi } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";

const { PORT = "3000", DATABASE = "cafe.db", STAFF = "anna@cafe.example" } = process.env;
const staff = new Set(STAFF.split(","));

const loyalty = new LoyaltyService({
  storage: await sqliteStorage(DATABASE),
  shortLinkBase: "https://cafe.example/card",
});
const cafe = loyalty.organization("cafe");
const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
});

/** Codes that were sent, by email, and whom each session is for. A real app keeps both in its database, for a while. */
const codes = new Map<string, string>();
const sessions = new Map<string, Principal>();

const api = createHttpApi(loyalty, {
  authenticate: authenticateByRequest(async ({ cookie }) => sessions.get(cookie("session") ?? "") ?? null),
  basePath: "/loyalty",
});

const app = new Hono();

app.post("/login", async (context) => {
  const { email } = await context.req.json();
  if (typeof email !== "string") return context.json({ error: "give an email" }, 400);
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  codes.set(email, code);
  console.log(`mail to ${email}: your code is ${code}`);
  return context.body(null, 202);
});

app.post("/login/code", async (context) => {
  const { email, code } = await context.req.json();
  const expectedCode = codes.get(email);
  codes.delete(email); // one try for each code
  if (expectedCode === undefined || code !== expectedCode)
    return context.json({ error: "ask for another code" }, 401);

  const session = randomUUID();
  setCookie(context, "session", session, { httpOnly: true, sameSite: "Lax", path: "/" }); // and `secure` behind TLS
  if (staff.has(email)) {
    sessions.set(session, {
      organizationId: "cafe",
      scopes: ["pass:read", "loyalty:manage"],
      subject: email,
    });
    return context.json({ staff: true });
  }
  // From their first login on, guests have a card.
  const { userId, qrCodeValue } = await cafe.passes.ensure(coffeeCard.id, { user: { email } });
  sessions.set(session, { organizationId: "cafe", scopes: ["user:read", "pass:read"], user: userId });
  return context.json({ user: userId, card: qrCodeValue });
});

app.all("/loyalty/*", ({ req }) => api.fetch(req.raw));

app.onError((error, context) => {
  if (isLoyaltyError(error)) {
    return Response.json({ code: error.code, error: error.message }, { status: error.status });
  }
  if (error instanceof SyntaxError) return context.json({ error: "give JSON" }, 400);
  console.error(error);
  return context.json({ error: "something is wrong here" }, 500);
});

const server = serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => {
  console.log(`listening on port ${port}`);
});

// Requests under way are answered before the database is closed.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => server.close(() => loyalty.close()));
}
