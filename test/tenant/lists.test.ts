import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls } from "../kit/intercept-calls.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { inOneTransaction } from "../properties/organizations.js";

const MEMBERS = 1_203;

describe("a list without pages", () => {
  it("is read in small batches, and no further than it is consumed", async () => {
    const storage = memoryStorage();
    await inOneTransaction(storage, async (loyalty) => {
      const { users, tags } = loyalty.organization("acme");
      await tags.create({ name: "VIP" });
      for (let at = 0; at < MEMBERS; at += 1) {
        await tags.assign((await users.create({ email: `${at}@example.com` })).id, "vip");
      }
    });
    const batches: number[] = [];
    const counting = interceptCalls(storage, function* (_method, proceed) {
      const rows = yield* proceed();
      if (Array.isArray(rows)) batches.push(rows.length);
      return rows;
    });
    const { acme } = openAcme({ storage: counting });
    for (const list of [() => acme.users.list(), () => acme.tags.users("vip")]) {
      batches.length = 0;
      expect(await collect(list())).toHaveLength(MEMBERS);
      expect(batches.length).toBeGreaterThan(2);
      expect(Math.max(...batches)).toBeLessThanOrEqual(500);
      batches.length = 0;
      for await (const { email } of list()) {
        expect(email).toBe("0@example.com");
        break;
      }
      expect(batches).toHaveLength(1);
    }
  });
});

describe.each(everyAdapter)("a list without pages on $name", ({ open }) => {
  it("returns each user who exists all the time once, whatever is written during the read", async () => {
    const storage = await open();
    await inOneTransaction(storage, async (loyalty) => {
      const { users } = loyalty.organization("acme");
      for (let at = 0; at < MEMBERS; at += 1)
        await users.create({ email: `${at}@a.co`, externalId: `${at}` });
    });
    const { acme } = openAcme({ storage });
    const ids: string[] = [];
    for await (const { externalId } of acme.users.list()) {
      ids.push(externalId ?? "");
      if (externalId === "3") await acme.users.delete("3");
      if (externalId === "499") await acme.users.delete("700");
      if (externalId === "600") await acme.users.create({ email: "late@a.co", externalId: "late" });
    }
    const staying = Array.from({ length: MEMBERS }, (_, at) => `${at}`).filter(
      (id) => id !== "3" && id !== "700",
    );
    expect(ids.filter((id) => staying.includes(id))).toEqual(staying);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("for an unknown tag is refused at its first step", async () => {
    const { acme } = openAcme({ storage: await open() });
    expect(await getErrorDetail(acme.tags.users("none"))).toEqual(notFound);
    expect(await collect(acme.users.list())).toEqual([]);
  });
});
