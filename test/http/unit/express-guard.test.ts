import { createServer } from "node:http";
import express from "express";
import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi, loyaltyRouter } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, test } from "vitest";

test("a body that the host can't parse doesn't get a request past the host's middleware", async () => {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "Test", scopes: [...scopes] });
  const ada = await acme.users.create({ email: "ada@example.com" });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
  const host = express()
    .use(express.json())
    .use((_request, response) => void response.status(403).json({ host: "no" }))
    .use(loyaltyRouter(api));
  const server = createServer(host);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    for (const [body, status] of [
      ["{}", 403],
      ["{", 400],
      [`"${"x".repeat(200_000)}"`, 413],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/users/${ada.id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
      expect(response.status).toBe(status);
    }
    expect(await acme.users.get(ada.id)).toEqual(ada);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
