import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "../cli/command.js";
import { startExample } from "./example.js";

describe("the example drizzle/server.ts", () => {
  it("stores an order with its stamps, and neither if the order can't be completed", async () => {
    const server = startExample("drizzle/server.ts", {
      PORT: "0",
      DATABASE: join(createEmptyFolder(), "cafe.db"),
    });
    const [, port] = await server.waitForOutput(/listening on port (\d+)/);
    const send = async (path: string, body?: unknown) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const { card } = (await send("/guests", { email: "ada@example.com" })).body;
    const orders = await Promise.all([
      send("/orders", { card, items: ["espresso", "flat white"] }),
      send("/orders", { card, items: ["espresso"] }),
      send("/orders", { card, items: ["espresso"] }),
    ]);
    expect(orders.map(({ status }) => status)).toEqual([201, 201, 201]);
    // The flat white is written before the espresso runs out.
    const missedOrder = await send("/orders", { card, items: ["flat white", "espresso"] });
    expect(missedOrder).toEqual({ status: 409, body: { error: "no espresso is left" } });
    expect(await send("/orders", { card: "unknown", items: ["flat white"] })).toMatchObject({ status: 404 });
    expect((await send("/orders")).body).toHaveLength(4);
    expect(await send("/orders", { card, items: ["flat white"] })).toMatchObject({
      body: { stamps: "5 of 10" },
    });
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0, stderr: "" });
  });
});
