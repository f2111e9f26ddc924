import { describe, expect, it } from "vitest";
import { everyAdapter } from "../../kit/every-adapter.js";
import { openGoogle } from "./google-scene.js";

const CUSTOMERS = 12;

describe.each(everyAdapter)("a message that a shop sends to cards at Google on $name", ({ open }) => {
  async function start() {
    const scene = await openGoogle(await open());
    const { acme, template, newPass, save, google } = scene;
    await acme.messageSettings.update({ walletByDefault: true, cap: null });
    const passes = [];
    for (let at = 0; at < CUSTOMERS; at += 1) {
      const pass = await newPass();
      await save(pass.url);
      passes.push(pass);
    }
    async function send(wallet: string) {
      const { id } = await acme.messages.create({
        ...{ name: "News", audience: { all: true }, channels: ["wallet"], templateId: template.id },
        texts: [{ language: "en", wallet }],
      });
      await acme.messages.send(id);
      return id;
    }
    /** Runs everything that is due, a minute at a time. */
    async function runWorkers(minutes = 3) {
      for (let minute = 0; minute < minutes; minute += 1) {
        await scene.wallets.runOnce();
        scene.clock.move(60_000);
      }
    }
    const listShownBodies = (objectId: string) => google.messagesOn(objectId).map(({ body }) => body);
    const listAdditions = () => google.calls.filter((call) => call.includes("/addMessage"));
    return { ...scene, passes, send, runWorkers, shownOn: listShownBodies, additions: listAdditions };
  }

  it("takes one call per card, and is sent when Google has it on all cards", async () => {
    const { acme, passes, send, runWorkers, shownOn, additions, google } = await start();
    const before = google.calls.length;
    const id = await send("{toGo} to go for a cake");
    await runWorkers();
    expect(google.calls.slice(before)).toHaveLength(CUSTOMERS);
    expect(additions()).toHaveLength(CUSTOMERS);
    for (const { objectId } of passes) expect(shownOn(objectId)).toContain("5 to go for a cake");
    expect(google.notices.filter(({ messageId }) => messageId === id)).toHaveLength(CUSTOMERS);
    const { status, sums } = await acme.messages.get(id);
    expect(status).toBe("SENT");
    expect(sums).toMatchObject({ recipients: CUSTOMERS, accepted: CUSTOMERS, pending: 0, sending: 0 });
    const { content } = await acme.messages.deliveries(id);
    for (const delivery of content) expect(delivery).toMatchObject({ platform: "google", isSilent: false });
    expect(google.complaints).toEqual([]);
  });

  it("is on every card once, among stamps, even if Google throttles, fails and loses responses", async () => {
    const { acme, passes, send, runWorkers, shownOn, google } = await start();
    const id = await send("Cake");
    for (const [at, pass] of passes.entries()) if (at % 3 === 0) await acme.stamps.add(pass.id);
    google.script(
      "lost",
      { status: 503 },
      "lost",
      "drop",
      { status: 429, reason: "rateLimitExceeded" },
      "lost",
    );
    await runWorkers(5);
    expect((await acme.messages.get(id)).sums).toMatchObject({ accepted: CUSTOMERS, sending: 0 });
    for (const { objectId } of passes) {
      expect(shownOn(objectId).filter((body) => body === "Cake")).toHaveLength(1);
      const notices = google.notices.filter((notice) => notice.objectId === objectId);
      expect(notices.filter(({ messageId }) => messageId === id)).toHaveLength(1);
    }
    expect([google.doubles, google.complaints]).toEqual([[], []]);
  });

  it("is removed from the cards silently when it is over", async () => {
    const { clock, passes, send, runWorkers, shown, google } = await start();
    const id = await send("Cake");
    await runWorkers();
    clock.move(8 * 86_400_000);
    await runWorkers();
    for (const { objectId } of passes) expect(shown(objectId).messages).toMatchObject([{ id: "next" }]);
    expect(google.notices.map(({ messageId }) => messageId)).toEqual(passes.map(() => id));
  });

  it("reaches no card if it is canceled before Google has accepted it", async () => {
    const { acme, passes, send, runWorkers, shown, google } = await start();
    google.fail({ status: 503, reason: "backendError" });
    const id = await send("Cake");
    await runWorkers(1);
    await acme.messages.cancel(id);
    google.fail(null);
    await runWorkers(5);
    for (const { objectId } of passes) expect(shown(objectId).messages).toMatchObject([{ id: "next" }]);
    expect(google.notices).toEqual([]);
    expect((await acme.messages.get(id)).status).toBe("CANCELED");
  });
});
