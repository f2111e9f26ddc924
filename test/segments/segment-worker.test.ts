import { createSegmentWorker } from "loyalty-kit/webhook-worker";
import { expect, it } from "vitest";
import { hear } from "../events/heard.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { emitting } from "./emitting.js";

const DAY = 86_400_000;

it("a worker sweeps when it starts, and within a minute of each midnight of whatever zone", async () => {
  const { loyalty, acme, clock } = openAcme();
  await emitting(acme, "young", {
    operator: "AND",
    conditions: [{ joined: { withinDays: 0 } }],
  });
  await acme.users.create({ email: someEmail() });
  clock.move(DAY - 5_000);
  const heard = hear(loyalty);
  const waits: { ms: number; work: () => void }[] = [];
  const worker = createSegmentWorker(loyalty, {
    after: (ms, work) => {
      waits.push({ ms, work });
      return () => {};
    },
  });
  await expect.poll(() => waits.length).toBe(1);
  expect(heard).toEqual([]);
  const [first] = waits;
  expect(first?.ms).toBeGreaterThan(5_000);
  expect(first?.ms).toBeLessThan(65_000);
  clock.move(first?.ms ?? 0);
  first?.work();
  await expect.poll(() => waits.length).toBe(2);
  expect(heard.map(({ type }) => type)).toEqual(["segment.left"]);
  expect(waits[1]?.ms).toBeLessThanOrEqual(15 * 60_000);
  await worker.close();
});
