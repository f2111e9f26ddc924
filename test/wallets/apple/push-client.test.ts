import { setTimeout as pause } from "node:timers/promises";
import { createFakeApns } from "loyalty-kit/testing";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PushClient } from "../../../adapters/delivery/wallets/apple/apple-wallet.js";
import { appleOptions, pki } from "./wallets-scene.js";

const TAKEN = { status: 200, reason: "", deadSince: null };

async function open() {
  const apns = await createFakeApns(pki);
  const client = new PushClient({ ...appleOptions, pushUrl: apns.url, pushCa: pki.root }, pki.passTypeId);
  onTestFinished(async () => {
    client.close();
    await apns.close();
  });
  return { apns, client };
}

/** Advances the timers by this many seconds, and lets data arrive over connections. */
async function passSeconds(count: number) {
  for (let at = 0; at < count; at += 2) {
    await vi.advanceTimersByTimeAsync(2_000);
    await pause(40);
  }
}

describe("the connection to Apple's push service", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => void vi.useRealTimers());

  it("stays in use while a push is unanswered, and only that push fails after ten seconds", async () => {
    const { apns, client } = await open();
    apns.fail("hangs", "silent");
    const hanging = client.push("hangs");
    for (let at = 0; at < 5; at += 1) {
      expect(await client.push(`other-${at}`)).toEqual(TAKEN);
      await passSeconds(2);
    }
    expect(await hanging).toMatchObject({ status: 0 });
    expect(apns.connections).toBe(1);
  });

  it("is retained if it answers PINGs, even if it answers nothing else", async () => {
    const { apns, client } = await open();
    apns.fail("hangs", "silent");
    const hanging = client.push("hangs");
    await passSeconds(8);
    const second = client.push("hangs");
    await passSeconds(2);
    expect(await hanging).toMatchObject({ status: 0 });
    await passSeconds(8);
    expect(await second).toMatchObject({ status: 0 });
    expect(await client.push("another")).toEqual(TAKEN);
    expect(apns.connections).toBe(1);
  });

  it("is replaced after ten seconds when its other end is lost", async () => {
    const { apns, client } = await open();
    expect(await client.push("first")).toEqual(TAKEN);
    apns.hush("open");
    const early = client.push("early");
    await passSeconds(6);
    const late = client.push("late");
    await passSeconds(6);
    expect([await early, await late]).toMatchObject([{ status: 0 }, { status: 0 }]);
    expect(await client.push("again")).toEqual(TAKEN);
    expect(apns.connections).toBe(2);
  });

  it("is replaced after ten seconds when it is accepted but never answered", async () => {
    const { apns, client } = await open();
    apns.hush("new");
    const early = client.push("early");
    await passSeconds(6);
    const late = client.push("late");
    await passSeconds(4);
    expect([await early, await late]).toMatchObject([{ status: 0 }, { status: 0 }]);
    apns.hush(null);
    expect(await client.push("again")).toEqual(TAKEN);
    expect(apns.connections).toBe(2);
  });

  it("is left immediately after a GOAWAY, even while a push over it is unanswered", async () => {
    const { apns, client } = await open();
    apns.fail("hangs", "silent");
    const hanging = client.push("hangs");
    await expect.poll(() => apns.unanswered).toBe(1);
    apns.script("goaway");
    expect((await client.push("told-to-go")).status).toBe(0);
    expect(await client.push("another")).toEqual(TAKEN);
    await passSeconds(10);
    expect(await hanging).toMatchObject({ status: 0 });
    expect(apns.connections).toBe(2);
  });

  it("is opened again after it was dropped, and an unreachable server gives status 0", async () => {
    const { apns, client } = await open();
    apns.script("drop");
    expect(await client.push("dropped")).toMatchObject({ status: 0 });
    expect(await client.push("again")).toEqual(TAKEN);
    await apns.close();
    expect(await client.push("nobody")).toMatchObject({ status: 0 });
  });
});
