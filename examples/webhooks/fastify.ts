/*
 * A program that hears of events: it takes webhooks with Fastify.
 *
 *   WEBHOOK_SECRET=whsec_… npx tsx examples/webhooks/fastify.ts
 *
 * It listens on PORT (4000). Endpoints are reached by HTTPS, so a proxy that ends TLS belongs in front of it.
 */
import Fastify from "fastify";
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "loyalty-kit/webhooks";

const { PORT = "4000", WEBHOOK_SECRET = "" } = process.env;

/** A delivery may come twice: what was done for an event is not done again. A real program keeps them in its database. */
const handledIds = new Set<string>();

const app = Fastify({ logger: true });

app.register(async (webhooks) => {
  // The signature covers the raw bytes of the body, so these routes get the bytes. All other routes still get parsed JSON.
  webhooks.removeContentTypeParser("application/json");
  webhooks.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, next) => {
    next(null, body);
  });
  webhooks.post<{ Body: Buffer }>("/webhooks", ({ headers, body }, reply) => {
    const event = verifyWebhook(headers, body, WEBHOOK_SECRET);
    // Answer soon: what takes longer belongs in a queue.
    if (!handledIds.has(event.id)) handleEvent(event);
    handledIds.add(event.id);
    return reply.status(204).send();
  });
});

app.setErrorHandler((error, _request, reply) => {
  if (error instanceof WebhookVerificationError) return reply.status(400).send({ error: error.reason });
  throw error;
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => app.close());

await app.listen({ port: Number(PORT) });

function handleEvent(event: WebhookEvent): void {
  switch (event.type) {
    case "user.created":
      app.log.info(`welcome, ${event.data.name ?? event.data.email}`);
      break;
    case "stamp_card.completed":
      app.log.info(`${event.data.walletPassId} has earned a free drink`);
      break;
    default:
      app.log.info(`${event.type} is ignored`);
  }
}
