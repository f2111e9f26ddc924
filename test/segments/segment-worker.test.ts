import { createSegmentWorker } from "loyalty-kit/webhooks";
import { expect, it, onTestFinished } from "vitest";
import { recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { createEmittingSegment } from "./emitting.js";

const DAY = 86_400_000;

it("a worker reads changes when it starts and after each commit in its process, and runs each midnight", async () => {
  const { loyalty, acme, clock } = openAcme();
  await createEmittingSegment(acme, "young", {
    operator: "AND",
    conditions: [{ joined: { withinDays: 0 } }],
  });
  await acme.users.create({ email: someEmail() });
  const events = recordEvents(loyalty);
  const listTypes = () => events.map(({ type }) => type);
  const polls: (() => void)[] = [];
  const worker = createSegmentWorker(loyalty, {
    pollMs: 1_000,
    after: (ms, work) => {
      // The minimum pause between two polls ends immediately.
      if (ms < 1_000) setImmediate(work);
      else polls.push(work);
      return () => {};
    },
  });
  onTestFinished(() => worker.close());
  await expect.poll(listTypes).toEqual(["segment.entered"]);
  await acme.users.create({ email: someEmail() });
  await expect.poll(listTypes).toEqual(["segment.entered", "user.created", "segment.entered"]);
  clock.move(DAY);
  const pollAndListTypes = () => {
    for (const poll of polls.splice(0)) poll();
    return listTypes().slice(3);
  };
  await expect.poll(pollAndListTypes).toEqual(["segment.left", "segment.left"]);
});
