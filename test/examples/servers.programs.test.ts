import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "../cli/command.js";
import { runCommand } from "../cli/run-command.js";
import { startExample } from "./example.js";

const examples = [
  { name: "express/server.ts", address: /listening on port (\d+)/ },
  { name: "fastify/server.ts", address: /listening at http:\/\/127\.0\.0\.1:(\d+)/ },
];

async function startCafe({ name, address }: (typeof examples)[number]) {
  const database = join(createEmptyFolder(), "cafe.db");
  const server = startExample(name, { PORT: "0", DATABASE: database });
  const [, port] = await server.waitForOutput(address);
  const url = `http://127.0.0.1:${port}`;

  async function send(path: string, body?: unknown, token?: string) {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  return { server, database, send };
}

describe.concurrent.each(examples)("the example $name", (example) => {
  const open = startCafe(example);

  it("stamps the card of a guest who orders, until a drink is free", async () => {
    const { server, send } = await open;
    const menu = await send("/menu");
    expect(menu).toMatchObject({ status: 200, body: { espresso: expect.any(Number) } });
    const guest = await send("/guests", { email: "ada@example.com", name: "Ada" });
    expect(guest).toMatchObject({ status: 201, body: { card: expect.stringMatching(/^https:/) } });
    const { card } = guest.body;

    const items = ["espresso", "flat white"];
    const order = await send("/orders", { card, items });
    const total = menu.body.espresso + menu.body["flat white"];
    expect(order).toEqual({ status: 201, body: { total, stamps: "2 of 10", freeDrinks: 0 } });
    const feast = await send("/orders", { card, items: Array(9).fill("espresso") });
    expect(feast).toMatchObject({ status: 201, body: { stamps: "1 of 10", freeDrinks: 1 } });
    await server.waitForOutput(/free drink/);
  });

  it("returns errors in its own format for what the library refuses, and for what is not on the menu", async () => {
    const { send } = await open;
    await send("/guests", { email: "bob@example.com" });
    expect(await send("/guests", { email: "Bob@example.com" })).toMatchObject({ status: 409 });
    expect(await send("/guests", { email: "ada" })).toMatchObject({ status: 422 });
    expect(await send("/orders", { card: "unknown", items: ["espresso"] })).toMatchObject({ status: 404 });
    expect(await send("/orders", { card: "unknown", items: ["toString"] })).toMatchObject({ status: 400 });
    expect(await send("/orders", { card: "unknown", items: [] })).toMatchObject({ status: 400 });
  });

  it("serves the loyalty API under /loyalty to the tokens of the café", async () => {
    const { database, send } = await open;
    await send("/guests", { email: "eve@example.com" });
    expect(await send("/loyalty/v1/contacts")).toMatchObject({ status: 401 });
    const options = ["--database", database, "--organization", "cafe", "--name", "till", "--scopes", "all"];
    const { stdout } = await runCommand(["token", "create", ...options]);
    const contacts = await send("/loyalty/v1/contacts?search=eve", undefined, stdout.trim());
    expect(contacts).toMatchObject({ status: 200, body: { content: [{ email: "eve@example.com" }] } });
  });

  it("exits with 0 on SIGTERM, and retains its cards", async () => {
    const first = await startCafe(example);
    const { body } = await first.send("/guests", { email: "ada@example.com" });
    first.server.process.kill("SIGTERM");
    expect(await first.server.exit).toMatchObject({ code: 0, stderr: "" });

    const secondServer = startExample(example.name, { PORT: "0", DATABASE: first.database });
    const [, port] = await secondServer.waitForOutput(example.address);
    const response = await fetch(`http://127.0.0.1:${port}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ card: body.card, items: ["espresso"] }),
    });
    expect(response.status).toBe(201);
  });
});
