import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { startExample } from "./example.js";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, now").toString("base64")}`;

const examples = [
  { name: "webhooks/express.ts", address: /listening on port (\d+)/ },
  { name: "webhooks/fastify.ts", address: /listening at http:\/\/127\.0\.0\.1:(\d+)/ },
];

async function startReceiver({ name, address }: (typeof examples)[number]) {
  const server = startExample(name, { PORT: "0", WEBHOOK_SECRET: SECRET });
  const [, port] = await server.waitForOutput(address);

  /** Delivers a signed event. Its spaces show whether the signature is checked on the raw bytes. */
  async function deliver(event: { readonly id: string }, secret = SECRET): Promise<Response> {
    const body = JSON.stringify(event, null, 2);
    const at = new Date();
    return fetch(`http://127.0.0.1:${port}/webhooks`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": event.id,
        "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
        "webhook-signature": new Webhook(secret).sign(event.id, at, body),
      },
      body,
    });
  }

  return { server, deliver };
}

const timestamp = "2026-01-01T00:00:00.000Z";
const ada = {
  id: "evt_1",
  type: "user.created",
  timestamp,
  data: { object: "user", name: "Ada", email: null },
};
const coupon = { id: "evt_2", type: "coupon.created", timestamp, data: {} };

describe.concurrent.each(examples)("the example $name", (example) => {
  it("handles each event once, even if it is delivered repeatedly", async () => {
    const { server, deliver } = await startReceiver(example);
    for (const event of [ada, ada, coupon]) expect((await deliver(event)).status).toBe(204);
    await server.waitForOutput(/coupon\.created is ignored/);
    expect(server.output().match(/welcome, Ada/g)).toHaveLength(1);
    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0, stderr: "" });
  });

  it("refuses an event that was signed with another secret", async () => {
    const { deliver } = await startReceiver(example);
    const errorResponse = await deliver(ada, `whsec_${Buffer.from("another").toString("base64")}`);
    expect(errorResponse.status).toBe(400);
    expect(await errorResponse.json()).toEqual({ error: "wrong_signature" });
  });
});
