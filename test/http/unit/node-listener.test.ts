import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import express from "express";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const loyalty = new LoyaltyService({ storage: memoryStorage() });
const token = loyalty
  .organization("acme")
  .apiTokens.create({ name: "till", scopes: ["user:create", "user:read"] })
  .then((created) => created.token);

/** Posts a new user to a server with this listener. `path` is the path of users, including the prefix. */
async function postUser(listener: RequestListener, path: string) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await token}`, "content-type": "application/json" },
    body: JSON.stringify({ email: `${Math.random()}@example.com` }),
  });
  return { status: response.status, location: response.headers.get("location"), body: await response.text() };
}

function createListener(basePath: string) {
  return nodeListener(createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath }));
}

describe("a listener for node:http", () => {
  test("keeps no connection open after the server is closed", async () => {
    let respond = () => {};
    const waits = new Promise<null>((resolve) => {
      respond = () => resolve(null);
    });
    const authenticate = vi.fn(() => waits);
    const server = createServer(nodeListener(createHttpApi(loyalty, { authenticate }))).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const agent = new Agent({ keepAlive: true });
    const responseEvent = once(
      get({ port, agent, path: "/v1/users/nobody", headers: { authorization: "Bearer none" } }),
      "response",
    );
    await vi.waitFor(() => expect(authenticate).toHaveBeenCalled());
    const exit = once(server, "close");
    server.close();
    respond();
    const [response]: IncomingMessage[] = await responseEvent;
    expect(response?.headers.connection).toBe("close");
    response?.resume();
    await exit;
  });

  test("handles requests below the API's base path, for frameworks that pass on whole paths", async () => {
    expect(await postUser(createListener("/loyalty"), "/loyalty/v1/users")).toMatchObject({ status: 201 });
    expect(await postUser(createListener(""), "/v1/users")).toMatchObject({ status: 201 });
    expect(await postUser(createListener(""), "/loyalty/v1/users")).toMatchObject({ status: 404 });
  });

  test("handles requests below the API's base path if Express has removed a part of the path", async () => {
    const app = express().use("/loyalty/*path", createListener("/loyalty"));
    expect(await postUser(app, "/loyalty/v1/users")).toMatchObject({ status: 201 });
  });

  test.each([
    ["parsed JSON", (body: string): unknown => JSON.parse(body)],
    ["bytes", (body: string): unknown => Buffer.from(body)],
  ])("accepts a body that a parser has already read, as %s", async (_, parse) => {
    const listener = createListener("");
    const parseBefore: RequestListener = (request, response) => {
      void text(request).then((body) => {
        const parsedRequest: IncomingMessage & { body?: unknown } = request;
        parsedRequest.body = parse(body);
        listener(request, response);
      });
    };
    expect(await postUser(parseBefore, "/v1/users")).toMatchObject({ status: 201 });
  });

  test("reports it to the host, not to the client, if a parser has read the body and not stored it", async () => {
    const errors: unknown[] = [];
    const authenticate = apiTokens(loyalty);
    const listener = nodeListener(
      createHttpApi(loyalty, { authenticate, onError: (error) => errors.push(error) }),
    );
    const parseBefore: RequestListener = (request, response) => {
      void text(request).then(() => listener(request, response));
    };
    expect(await postUser(parseBefore, "/v1/users")).toMatchObject({ status: 500 });
    expect(errors.map(String)).toEqual([
      "BodyTakenError: the host has read the body of the request: mount loyalty-kit before the body parser, or leave the body in request.body",
    ]);
  });
});
