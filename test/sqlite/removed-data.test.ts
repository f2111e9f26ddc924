import { readFileSync } from "node:fs";
import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { createTemporaryFile } from "./temporary-file.js";

const NAME = "Marguerite Abernathy";

interface Shop {
  readonly storage: StorageAdapter;
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  readonly userId: string;
}

const removals: Record<string, (shop: Shop) => Promise<unknown>> = {
  "a transaction": ({ acme, userId }) => acme.users.erase(userId),
  "a large transaction": ({ storage, userId }) =>
    storage.transaction(
      "acme",
      function* (tx) {
        yield* tx.deleteUser(userId);
        const all = { since: Number.MAX_SAFE_INTEGER, atMost: 0 };
        yield* tx.removeEvents(all, { after: 0, limit: 100 });
      },
      { isLarge: true },
    ),
  "a lent transaction": ({ loyalty, userId }) =>
    loyalty.transaction((_, organization) => organization("acme").users.erase(userId)),
};

describe.each(Object.entries(removals))("data that %s removes", (_, remove) => {
  it("is overwritten in the file", async () => {
    const file = createTemporaryFile();
    const storage = await sqliteStorage(file);
    const loyalty = new LoyaltyService({ storage });
    const acme = loyalty.organization("acme");
    const { id: userId } = await acme.users.create({ email: "ada@example.com" });
    await acme.users.update(userId, { name: NAME });
    await remove({ storage, loyalty, acme, userId });
    await loyalty.close();
    expect(readFileSync(file).includes(NAME)).toBe(false);
  });
});
