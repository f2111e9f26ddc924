import { scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";

const allScopesExcept = (scope: string) => scopes.filter((other) => other !== scope);

describe.each(everyAdapter)("settings, on $name", ({ open }) => {
  it("have UTC as the default time zone, and each organization has its own", async () => {
    const { acme, loyalty, clock } = openAcme({ storage: await open() });
    const shop = { name: null, logo: null, language: null, currency: null };
    const unset = { object: "settings", ...shop, timeZone: "UTC", requiresEmail: true, updatedAt: null };
    expect(await acme.settings.get()).toEqual(unset);
    const set = { ...unset, timeZone: "Europe/Vienna", updatedAt: clock.timestamp };
    expect(await acme.settings.update({ timeZone: "Europe/Vienna" })).toEqual(set);
    expect(await acme.settings.get()).toEqual(set);
    expect(await loyalty.organization("globex").settings.get()).toMatchObject({ timeZone: "UTC" });
  });

  it("move updatedAt only with a change, and then strictly forward", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    for (const nothing of [{}, { timeZone: "UTC" }, { timeZone: "utc" }]) {
      expect(await acme.settings.update(nothing)).toMatchObject({ timeZone: "UTC", updatedAt: null });
    }
    const first = await acme.settings.update({ timeZone: "Asia/Tokyo" });
    clock.move(1_000);
    for (const nothing of [{}, { timeZone: "asia/tokyo" }, { timeZone: undefined }]) {
      expect(await acme.settings.update(nothing)).toEqual(first);
    }
    clock.move(-60_000);
    const { updatedAt } = await acme.settings.update({ timeZone: "UTC" });
    expect(Date.parse(updatedAt ?? "")).toBe(Date.parse(first.updatedAt ?? "") + 1);
    expect(
      (await acme.audit.list()).content.map(({ action, target, details }) => [action, target, details]),
    ).toEqual([
      ["settings.updated", null, { timeZone: "Asia/Tokyo" }],
      ["settings.updated", null, { timeZone: "UTC" }],
    ]);
  });

  it("are changed once per idempotency key", async () => {
    const { acme } = openAcme({ storage: await open() });
    const updateSettings = () => acme.settings.update({ timeZone: "Asia/Tokyo", idempotencyKey: "once" });
    const first = await updateSettings();
    await acme.settings.update({ timeZone: "UTC" });
    expect(await updateSettings()).toEqual(first);
    expect(await acme.settings.get()).toMatchObject({ timeZone: "UTC" });
  });
});

describe("a time zone", () => {
  it("is stored under its name in Intl", async () => {
    const { acme } = openAcme();
    for (const timeZone of ["Asia/Calcutta", "asia/kolkata", "EUROPE/vienna", "Etc/UTC", "Etc/GMT-2"]) {
      const canonicalZone = new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
      expect(await acme.settings.update({ timeZone })).toMatchObject({ timeZone: canonicalZone });
    }
  });

  it.each(["+02:00", "-05:00", "+02", "GMT+2", "Vienna", "", "Europe/Vienna\0", "x".repeat(10_000)])(
    "is refused as %j",
    async (timeZone) => {
      const { acme } = openAcme();
      expect(await getRefusedFields(acme.settings.update({ timeZone }))).toEqual(["timeZone"]);
      expect(await acme.settings.get()).toMatchObject({ updatedAt: null });
    },
  );

  it("must be a text, neither null nor a number", async () => {
    const { acme } = openAcme();
    for (const timeZone of [null, 2, ["UTC"]]) {
      expect(await getErrorDetail(acme.settings.update(untyped({ timeZone })))).toEqual(
        wrongType("timeZone"),
      );
    }
  });

  it("is read and changed only with its scopes", async () => {
    const { loyalty } = openAcme();
    const noReader = loyalty.organization("acme", { scopes: allScopesExcept("settings:read") });
    const noWriter = loyalty.organization("acme", { scopes: allScopesExcept("settings:write") });
    expect(await getErrorDetail(noReader.settings.get())).toEqual({
      code: "access_denied",
      scope: "settings:read",
    });
    expect(await noReader.settings.update({ timeZone: "Asia/Tokyo" })).toMatchObject({
      timeZone: "Asia/Tokyo",
    });
    expect(await getErrorDetail(noWriter.settings.update({ timeZone: "UTC" }))).toEqual({
      code: "access_denied",
      scope: "settings:write",
    });
    expect(await noWriter.settings.get()).toMatchObject({ timeZone: "Asia/Tokyo" });
  });
});
