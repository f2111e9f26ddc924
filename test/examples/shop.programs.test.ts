import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "../cli/command.js";
import { pathToExample, startExample } from "./example.js";

const DATABASE = join(createEmptyFolder(), "shop.db");

/** Reads what the library has stored, once the shop has exited. */
async function readClub() {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(DATABASE) });
  const { users, passes, points, purchases } = loyalty.organization("club");
  const found = [];
  for await (const { id, email } of users.list()) {
    const [pass] = await passes.ofUser(id);
    const { content } = await points.history(pass?.id ?? "");
    found.push({ email, points: content.map((entry) => entry.points) });
  }
  const receipts = (await purchases.list()).content.map(({ receipt, returnedTotal }) => [
    receipt,
    returnedTotal,
  ]);
  await loyalty.close();
  return { users: found, receipts: receipts.sort() };
}

describe("the example shop/server.ts", () => {
  it("stores an order with its points and a refund with its deduction, and nothing of what fails", async () => {
    const server = startExample("shop/server.ts", { PORT: "0", DATABASE });
    const [, port] = await server.waitForOutput(/listening on port (\d+)/);
    const send = async (path: string, body?: unknown) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const ada = "ada@example.com";
    // 24.50 and 8.90 give 33 points, and 8.90 gives 8.
    expect(await send("/orders", { email: ada, skus: ["teapot", "cup"] })).toEqual({
      status: 201,
      body: { id: 1, points: 33 },
    });
    const others = [
      await send("/orders", { email: ada, skus: ["cup"] }),
      await send("/orders", { email: ada, skus: ["teapot"] }),
    ];
    expect(others.map(({ body }) => body.points)).toEqual([8, 24]);
    // The points are added before the second teapot turns out to be missing.
    const missed = await send("/orders", { email: "bob@example.com", skus: ["cup", "teapot", "teapot"] });
    expect(missed).toEqual({ status: 409, body: { error: "no teapot is left" } });
    expect(await send("/orders/1/refunds", { lines: ["1"] })).toEqual({
      status: 201,
      body: { id: 1, points: -9 },
    });
    expect(await send("/orders/1/refunds", { lines: ["none"] })).toMatchObject({ status: 422 });
    expect(await send("/orders/9/refunds", { lines: ["0"] })).toMatchObject({ status: 404 });
    expect((await send("/orders")).body).toEqual({
      orders: [1, 2, 3].map((id) => ({ id, email: ada })),
      refunds: [{ id: 1, order: 1 }],
    });
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0, stderr: "" });
    expect(await readClub()).toEqual({
      users: [{ email: ada, points: [-9, 24, 8, 33] }],
      receipts: [
        ["1", 890],
        ["2", 0],
        ["3", 0],
      ],
    });
  });

  it("has ten lines about points, besides the imports", () => {
    const code = readFileSync(pathToExample("shop/server.ts"), "utf8")
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .split("\n")
      .filter((line) => !line.startsWith("import ") && !line.includes("isLoyaltyError"));
    expect(code.filter((line) => /\b(loyalty|club|passes|purchases|earning)\b/.test(line))).toHaveLength(10);
  });
});
