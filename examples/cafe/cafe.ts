/*
 * A café with a stamp card: guests sign up on their phone, the till stamps, a segment knows the regulars, and a webhook tells
 * another program of each full card.
 * Run it: npx tsx cafe.ts
 *
 * It listens on PORT (3000), takes its webhooks on HOOKS_PORT (4000), and keeps everything in the SQLite file DATABASE (cafe.db).
 * "loyalty-kit create my-cafe" makes a project of it.
 */
import { createServer } from "node:http";
import { LoyaltyService, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
import { createPages } from "loyalty-kit/pages";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker, verifyWebhook, WebhookVerificationError } from "loyalty-kit/webhooks";

const { PORT = "3000", HOOKS_PORT = "4000", DATABASE = "cafe.db" } = process.env;
// Phones reach the server by its address in the network, and one day by https.
const { PUBLIC_URL = `http://localhost:${PORT}` } = process.env;

const loyalty = new LoyaltyService({
  storage: await sqliteStorage(DATABASE),
  shortLinkBase: `${PUBLIC_URL}/c`,
  // Leave it out once the receiver of webhooks is on another machine.
  webhooks: { allowLoopback: true },
});
const cafe = loyalty.organization("cafe");

// What the café has, made at the first start.
const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
});
const segments = await cafe.segments.list();
if (segments.length === 0) {
  const visits = { visits: { days: 30, min: 3 } };
  await cafe.segments.create({ name: "Regulars", filter: { operator: "AND", conditions: [visits] } });
}
const [endpoint] = await cafe.webhooks.list();
const url = `http://127.0.0.1:${HOOKS_PORT}/`;
const { secret } =
  endpoint === undefined
    ? await cafe.webhooks.create({ url, types: ["stamp_card.completed"] })
    : await cafe.webhooks.rotateSecret(endpoint.id);
if ((await cafe.apiTokens.list()).length === 0) {
  const { token } = await cafe.apiTokens.create({ name: "staff", scopes: [...scopes] });
  console.log(`Staff sign in with this API token, which is shown only now: ${token}`);
}

// Another program, which hears of full cards.
const hooks = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = verifyWebhook(request.headers, Buffer.concat(chunks), secret);
    if (event.type === "stamp_card.completed") console.log(`A free coffee: ${event.data.walletPassId}`);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
  }
}).listen(Number(HOOKS_PORT), "127.0.0.1");

const pages = createPages(loyalty);
const screens = createConsole(loyalty, { isHttps: PUBLIC_URL.startsWith("https:") });
const authenticate = apiTokens(loyalty);
const server = nodeServer(createHttpApi(loyalty, { authenticate, extensions: [pages, screens] }));
const worker = createWebhookWorker(loyalty);
server.listen(Number(PORT), () => {
  console.log(`Guests sign up at ${PUBLIC_URL}/join/${coffeeCard.id}`);
  console.log(`The till is at ${PUBLIC_URL}/console/till`);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () =>
    server.close(async () => {
      await worker.close({ withinMs: 5_000 });
      hooks.close();
      await loyalty.close();
    }),
  );
}
