import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/adapters.js";

const DAY = 86_400_000;

describe.each(everyAdapter)("sessions that were ended on $name", ({ open }) => {
  it("are known to all of the organization, and to no other", async () => {
    const storage = await open();
    const [here, there] = [openAcme({ storage }).loyalty, openAcme({ storage }).loyalty];
    await Promise.all([
      here.endedSessions.end("acme", "session-1"),
      there.endedSessions.end("acme", "session-1"),
    ]);
    await here.endedSessions.end("acme", "session-1");
    for (const { endedSessions } of [here, there]) {
      expect(await endedSessions.has("acme", "session-1")).toBe(true);
      expect(await endedSessions.has("acme", "session-2")).toBe(false);
      expect(await endedSessions.has("globex", "session-1")).toBe(false);
    }
  });

  it("are remembered for a day, and make room as answers do", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open(), limits: { answerBytes: 2_000 } });
    const { endedSessions } = loyalty;
    await endedSessions.end("acme", "session-1");
    clock.move(DAY - 1_000);
    await endedSessions.end("acme", "session-2");
    expect(await endedSessions.has("acme", "session-1")).toBe(true);
    clock.move(2_000);
    await endedSessions.end("acme", "session-3");
    expect(await endedSessions.has("acme", "session-1")).toBe(false);
    expect(await endedSessions.has("acme", "session-2")).toBe(true);
    for (let at = 0; at < 20; at += 1) {
      await acme.users.create({ email: `${at}@example.com`, idempotencyKey: `${at}` });
    }
    expect(await endedSessions.has("acme", "session-2")).toBe(false);
  });

  it("leave no key of a caller used, and are ended by none", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await loyalty.endedSessions.end("acme", "session-1");
    const idempotencyKey = "ended session session-1";
    await acme.users.create({ email: "ada@example.com", idempotencyKey });
    const other = "ended session session-2";
    await acme.users.create({ email: "bob@example.com", idempotencyKey: other });
    expect(await loyalty.endedSessions.has("acme", "session-2")).toBe(false);
  });
});
