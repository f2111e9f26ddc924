import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";
import { Agent } from "undici";
import { WebhookClient } from "../adapters/delivery/webhooks/worker/webhook-client.js";
import { signWebhook } from "../src/webhooks/signature.js";
import type { Bench } from "./bench.js";
import { atMost, formatMs, formatRate, print, type Row } from "./report.js";
import { medianOf, timeInTurn } from "./timing.js";

const ORGANIZATION = "acme";

/** How many requests run at the same time at each receiver, by hand as by the worker. */
const AT_ONCE = 4;

/**
 * Events to one and to twenty HTTPS receivers on this machine, against requests that are signed and sent by hand; and writes with
 * the outbox against writes without it.
 */
export const runWebhooks: Bench = async ({ folder, rounds, sliceMs }) => {
  const events = Math.max(20, Math.round(sliceMs * 20));
  const rows: Row[] = [];
  for (const receivers of [1, 20]) rows.push(await timeDeliveries(folder, receivers, events, rounds));
  print("Deliveries (ratio: share of the rate by hand)", rows);
  print("Writes one after the other (ratio: share that the outbox adds)", [
    await measureOutboxShare(folder, rounds, sliceMs),
  ]);
};

async function timeDeliveries(folder: string, count: number, events: number, rounds: number): Promise<Row> {
  const receivers = await Receivers.start(count);
  const rates = { ours: [] as number[], byHand: [] as number[] };
  try {
    const total = Math.ceil(events / count) * count;
    for (let round = 0; round < rounds; round += 1) {
      const file = join(folder, `deliveries-${count}-${round}.db`);
      rates.ours.push(await timeOurs(file, receivers, total));
      rates.byHand.push(await timeByHand(receivers, total));
    }
    const [ours, byHand] = [medianOf(rates.ours), medianOf(rates.byHand)];
    return {
      label: `${total} deliveries into ${count === 1 ? "one receiver" : `${count} receivers`}`,
      ours: formatRate(total, ours),
      peer: formatRate(total, byHand),
      peerName: "signed and sent by hand",
      ratio: byHand / ours,
      goals: [],
    };
  } finally {
    receivers.stop();
  }
}

/** From the start of a worker that finds the events until the last one was received, in milliseconds. */
async function timeOurs(file: string, receivers: Receivers, total: number): Promise<number> {
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(file),
    webhooks: { allowLoopback: true },
  });
  const { users, webhooks: endpoints } = loyalty.organization(ORGANIZATION);
  for (const url of receivers.urls) await endpoints.create({ url });
  const rows = Array.from({ length: total / receivers.urls.length }, (_, at) => ({
    email: `customer-${at}@example.com`,
  }));
  await users.import(rows);
  const client = new WebhookClient(Date.now, {
    isAllowed: () => true,
    resolveAddresses: async () => [],
    ca: receivers.certificate,
  });
  const [done] = await receivers.expect(total);
  const start = performance.now();
  const worker = createWebhookWorker(loyalty, { send: client.send, attemptsPerEndpoint: AT_ONCE });
  await done;
  const time = performance.now() - start;
  await worker.close();
  await client.close();
  await loyalty.close();
  return time;
}

async function timeByHand(receivers: Receivers, total: number): Promise<number> {
  const agent = new Agent({ connect: { ca: receivers.certificate } });
  const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const body = JSON.stringify({ id: "evt_1", type: "user.created", timestamp: "", data: { id: "usr_1" } });
  const [done] = await receivers.expect(total);
  const start = performance.now();
  await Promise.all(
    receivers.urls.flatMap((url) => {
      let remainingCount = total / receivers.urls.length;
      const { origin, pathname } = new URL(url);
      return Array.from({ length: AT_ONCE }, async () => {
        while (remainingCount > 0) {
          remainingCount -= 1;
          const timestamp = `${Math.floor(Date.now() / 1_000)}`;
          const headers = {
            "content-type": "application/json",
            "webhook-id": "evt_1",
            "webhook-timestamp": timestamp,
            "webhook-signature": signWebhook({ id: "evt_1", timestamp, body }, [secret]),
          };
          const response = await agent.request({ origin, path: pathname, method: "POST", headers, body });
          await response.body.dump();
        }
      });
    }),
  );
  await done;
  const time = performance.now() - start;
  await agent.close();
  return time;
}

async function measureOutboxShare(folder: string, rounds: number, sliceMs: number): Promise<Row> {
  const openService = async (name: string, outbox: boolean) =>
    new LoyaltyService({ storage: await sqliteStorage(join(folder, `${name}.db`)), outbox });
  const sides = { with: await openService("with", true), without: await openService("without", false) };
  const tasks = Object.fromEntries(
    Object.entries(sides).map(([name, loyalty]) => {
      const { users } = loyalty.organization(ORGANIZATION);
      let at = 0;
      return [
        name,
        () => {
          at += 1;
          return users.create({ email: `customer-${at}@example.com` });
        },
      ];
    }),
  );
  const getTime = await timeInTurn(tasks, { rounds, sliceMs });
  for (const loyalty of Object.values(sides)) await loyalty.close();
  const share = 1 - getTime("without") / getTime("with");
  return {
    label: "users.create",
    ours: formatMs(getTime("with")),
    peer: formatMs(getTime("without")),
    peerName: "outbox: false",
    ratio: share,
    isLessBetter: true,
    goals: [atMost(share, 0.3)],
  };
}

/** HTTPS receivers in their own process. */
class Receivers {
  private constructor(
    private readonly child: ReturnType<typeof fork>,
    readonly urls: readonly string[],
    readonly certificate: string,
  ) {}

  static async start(count: number): Promise<Receivers> {
    const program = join(import.meta.dirname, "servers/webhook-receivers.ts");
    const child = fork(program, [String(count)], { execArgv: ["--import", "tsx"] });
    const [{ ports, cert }] = await once(child, "message");
    return new Receivers(
      child,
      ports.map((port: number) => `https://127.0.0.1:${port}/hook`),
      cert,
    );
  }

  /** Begins to count. @returns a list with a promise that resolves after this many requests. */
  async expect(total: number): Promise<Promise<unknown>[]> {
    const ready = once(this.child, "message");
    this.child.send(total);
    await ready;
    // In a list, so that the caller doesn't await it immediately.
    return [once(this.child, "message")];
  }

  stop(): void {
    this.child.kill();
  }
}
