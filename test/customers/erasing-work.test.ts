import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";

describe.each(everyAdapter)("the work of an erasure, on $name", ({ open }) => {
  it("reads the organization's events before its transaction, which reads only the person's and the newest ones", async () => {
    const storage = await open();
    const lists: { readonly after: unknown; readonly count: number }[] = [];
    const rowsRead: unknown[] = [];
    const recordingStorage = replaceTransactions(storage, (organizationId, work, options) =>
      storage.transaction(
        organizationId,
        (tx) =>
          work(
            interceptCalls(tx, function* (method, proceed, [first, after]) {
              const found = yield* proceed();
              if (method === "eventsAt") rowsRead.push(...(Array.isArray(first) ? first : []));
              if (method === "listEvents" && Array.isArray(found)) lists.push({ after, count: found.length });
              return found;
            }),
          ),
        options,
      ),
    );
    const loyalty = new LoyaltyService({ storage: recordingStorage });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    const { id } = await acme.users.create({ email: someEmail() });
    await acme.tags.create({ name: "VIP" });
    await acme.users.import(Array.from({ length: 600 }, () => ({ email: someEmail(), tags: ["vip"] })));
    await acme.tags.assign(id, "vip");
    const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    const previousPass = await acme.passes.create(card.id, { userId: id });
    await acme.stamps.add(previousPass.id, { count: 2 });
    await acme.passes.delete(previousPass.id);
    const pass = await acme.passes.create(card.id, { userId: id });
    await acme.stamps.add(pass.id, { count: 3 });
    const newest = await runStep(storage.reader("acme").newestEventPosition());
    lists.length = 0;
    rowsRead.length = 0;
    await acme.users.erase(id);
    expect(new Set(rowsRead).size).toBeLessThanOrEqual(8);
    expect(lists.length).toBeGreaterThan(0);
    for (const { after, count } of lists) expect([after, count]).toEqual([newest, 0]);
  });
});
