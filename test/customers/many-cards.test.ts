import { expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptSnapshots } from "../kit/intercept-calls.js";

/** Methods that read many users at the same time, each of whom may have a thousand cards. */
const batchMethods = new Set(["passesOfUsers", "slugsOfUsers", "assignmentsOfUsers"]);

it.each(everyAdapter)("reads cards and tags of few users at a time, on $name", async ({ open }) => {
  let maxUsers = 0;
  const storage = interceptSnapshots(await open(), (method, proceed, [users]) => {
    if (batchMethods.has(method) && Array.isArray(users)) maxUsers = Math.max(maxUsers, users.length);
    return proceed();
  });
  const { acme } = openAcme({ storage });
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  await acme.passes.import(
    Array.from({ length: 130 }, (_, at) => ({
      ...{ email: `${at}@example.com`, tags: ["regular"] },
      passes: [{ templateId: id, stamps: at % 10 }],
    })),
    { createTags: true },
  );

  const { content } = await acme.contacts.list({ size: 200, includeStamps: true, includeSummary: true });
  expect(content.map(({ email, passInfos, summary }) => [email, passInfos.length, summary?.tags])).toEqual(
    Array.from({ length: 130 }, (_, at) => [`${129 - at}@example.com`, 1, ["regular"]]),
  );
  await collect(acme.exports.everything());
  expect(maxUsers).toBe(50);
});
