import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { adaptersInProcess } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";

const DAY = 86_400_000;

describe.each(everyAdapter)("ended sessions on $name", ({ open }) => {
  it("are known to every service of the organization, and to no other organization", async () => {
    const storage = await open();
    const [oneService, otherService] = [openAcme({ storage }).loyalty, openAcme({ storage }).loyalty];
    await Promise.all([
      serviceInternals(oneService).endedSessions.end("acme", "session-1"),
      serviceInternals(otherService).endedSessions.end("acme", "session-1"),
    ]);
    await serviceInternals(oneService).endedSessions.end("acme", "session-1");
    for (const { endedSessions } of [oneService, otherService].map(serviceInternals)) {
      expect(await endedSessions.wasEnded("acme", "session-1")).toBe(true);
      expect(await endedSessions.wasEnded("acme", "session-2")).toBe(false);
      expect(await endedSessions.wasEnded("globex", "session-1")).toBe(false);
    }
  });

  it("are remembered for a day, regardless of how many responses are stored", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open(), limits: { idempotencyBytes: 2_000 } });
    const { endedSessions } = serviceInternals(loyalty);
    await endedSessions.end("acme", "session-1");
    clock.move(DAY - 1_000);
    await endedSessions.end("acme", "session-2");
    expect(await endedSessions.wasEnded("acme", "session-1")).toBe(true);
    for (let at = 0; at < 20; at += 1) {
      await acme.users.create({ email: `${at}@example.com`, idempotencyKey: `${at}` });
    }
    expect(await endedSessions.wasEnded("acme", "session-2")).toBe(true);
    clock.move(2_000);
    expect(await endedSessions.wasEnded("acme", "session-1")).toBe(false);
    expect(await endedSessions.wasEnded("acme", "session-2")).toBe(true);
  });

  it("don't use up an idempotency key of a caller, and can't be created by one", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await serviceInternals(loyalty).endedSessions.end("acme", "session-1");
    const idempotencyKey = "ended session session-1";
    await acme.users.create({ email: "ada@example.com", idempotencyKey });
    const other = "ended session session-2";
    await acme.users.create({ email: "bob@example.com", idempotencyKey: other });
    expect(await serviceInternals(loyalty).endedSessions.wasEnded("acme", "session-2")).toBe(false);
  });
});

describe.each(adaptersInProcess)("ended sessions on $name", ({ open }) => {
  it("are limited to 10,000 per organization, and the oldest make room for new ones", async () => {
    const storage = await open();
    const { loyalty, clock } = openAcme({ storage });
    await serviceInternals(loyalty).endedSessions.end("acme", "first");
    clock.move(1_000);
    await serviceInternals(loyalty).endedSessions.end("acme", "second");
    const until = clock.now + 2 * DAY;
    await storage.transaction("acme", function* (tx) {
      for (let at = 0; at < 9_998; at += 1) yield* tx.putCooldown({ name: `${at}`, until });
    });
    expect(await serviceInternals(loyalty).endedSessions.wasEnded("acme", "first")).toBe(true);
    await serviceInternals(loyalty).endedSessions.end("acme", "third");
    const isEnded = (session: string) => serviceInternals(loyalty).endedSessions.wasEnded("acme", session);
    expect([await isEnded("first"), await isEnded("second"), await isEnded("third")]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
