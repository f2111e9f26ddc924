import { once } from "node:events";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, onTestFinished, test } from "vitest";

const { users } = new LoyaltyService({ storage: memoryStorage() }).organization("acme");

test("Express responds to an error that a route doesn't catch with the error's status", async () => {
  const app = express().set("env", "test");
  app.get("/:id", async (request, response) => void response.json(await users.get(request.params.id)));
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect((await fetch(`http://127.0.0.1:${port}/nobody`)).status).toBe(404);
});

test("Fastify responds to an error that a route doesn't catch with the error's status", async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.get<{ Params: { id: string } }>("/:id", ({ params }) => users.get(params.id));
  expect((await app.inject("/nobody")).statusCode).toBe(404);
});

test("Hono responds to an error that a route doesn't catch with the error's status", async () => {
  const app = new Hono().get("/:id", async (context) =>
    context.json(await users.get(context.req.param("id"))),
  );
  const response = await app.request("/nobody");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "resource_not_found" });
});
