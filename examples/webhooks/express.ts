/*
 * A program that hears of events: it takes webhooks with Express.
 *
 *   WEBHOOK_SECRET=whsec_… npx tsx examples/webhooks/express.ts
 *
 * It listens on PORT (4000). Endpoints are reached by HTTPS, so a proxy that ends TLS belongs in front of it.
 */
import express, { type NextFunction, type Request, type Response } from "express";
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "loyalty-kit/webhooks";

const { PORT = "4000", WEBHOOK_SECRET = "" } = process.env;

/** A delivery may come twice: what was done for an event is not done again. A real program keeps them in its database. */
const handledIds = new Set<string>();

const app = express();

// The signature covers the raw bytes of the body, so register this route before express.json().
app.post("/webhooks", express.raw({ type: "application/json", limit: "1mb" }), (request, response) => {
  const event = verifyWebhook(request.headers, request.body, WEBHOOK_SECRET);
  // Answer soon: what takes longer belongs in a queue.
  if (!handledIds.has(event.id)) handleEvent(event);
  handledIds.add(event.id);
  response.status(204).end();
});

app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (error instanceof WebhookVerificationError) response.status(400).json({ error: error.reason });
  else next(error);
});

const server = app.listen(Number(PORT), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`);
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());

function handleEvent(event: WebhookEvent): void {
  switch (event.type) {
    case "user.created":
      console.log(`welcome, ${event.data.name ?? event.data.email}`);
      break;
    case "stamp_card.completed":
      console.log(`${event.data.walletPassId} has earned a free drink`);
      break;
    default:
      console.log(`${event.type} is ignored`);
  }
}
