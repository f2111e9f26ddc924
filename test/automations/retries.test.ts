import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import { DAY, HOUR, openAutomatedShop } from "./automated-shop.js";

const MINUTE = 60_000;

it("a run that fails in storage is rolled back and retried, at growing intervals, for a day", async () => {
  const storage = memoryStorage();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const { automate, listRuns, listTagSlugs, createCustomer, passTime, loyalty } = await openAutomatedShop(
    storage,
    { onError },
  );
  const welcome = { on: { event: "user.created" }, do: [{ assignTag: "new" }, { assignTag: "vip" }] };
  const id = await automate(welcome);
  const { transaction } = storage;
  let isFailing = true;
  storage.transaction = (organizationId, work, options) =>
    transaction.call(
      storage,
      organizationId,
      (tx) => {
        const assignTag = tx.assignTag.bind(tx);
        let assignedCount = 0;
        tx.assignTag = function* (...args) {
          assignedCount += 1;
          if (isFailing && assignedCount === 2) throw new Error("the disk is full");
          return yield* assignTag(...args);
        };
        return work(tx);
      },
      options,
    ) as never;
  const ada = await createCustomer();
  await loyalty.runAutomations();
  expect(await listTagSlugs(ada.id)).toEqual([]);
  expect(await listRuns(id)).toMatchObject([{ status: "WAITING", attempts: 1 }]);
  await passTime(30_000);
  expect(errors).toHaveLength(1);
  await passTime(MINUTE);
  expect(errors).toHaveLength(2);
  isFailing = false;
  await passTime(10 * MINUTE);
  expect(await listTagSlugs(ada.id)).toEqual(["new", "vip"]);
  expect(await listRuns(id)).toMatchObject([{ status: "DONE", attempts: 2 }]);

  isFailing = true;
  const bob = await createCustomer();
  await loyalty.runAutomations();
  for (let hour = 0; hour < 40; hour += 1) await passTime(HOUR);
  expect(await listTagSlugs(bob.id)).toEqual([]);
  expect((await listRuns(id)).at(-1)).toMatchObject({ status: "FAILED", reason: "gave_up", actionIndex: 1 });
  expect(DAY).toBe(24 * HOUR);
});
