/* A host in one file: SQLite, the HTTP interface, and the worker that sends webhooks. */
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";

const { PORT = "3000", DATABASE = "cafe.db" } = process.env;

const loyalty = new LoyaltyService({ storage: await sqliteStorage(DATABASE) });
const worker = createWebhookWorker(loyalty);
const server = nodeServer(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }));
server.listen(Number(PORT), () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`);
});

process.once("SIGTERM", () => {
  server.close(async () => {
    await worker.close();
    await loyalty.close();
  });
});
