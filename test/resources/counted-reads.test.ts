import { expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { getRefusedFields, untyped } from "../kit/refusal.js";

/** As many items as fit in a body of one megabyte. */
const HOSTILE = 300_000;

/** Creates a list that counts how often its items are read. */
function createCountedList(item: unknown) {
  const count = { reads: 0 };
  const list = new Proxy(
    Array.from({ length: HOSTILE }, () => item),
    {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) count.reads += 1;
        return Reflect.get(target, key);
      },
    },
  );
  return { list: untyped(list), count };
}

it("metadata is refused as soon as more values were read than fit", async () => {
  const { acme } = openAcme();
  const { list, count } = createCountedList([[[]]]);
  const fields = await getRefusedFields(acme.users.create({ email: someEmail(), metadata: { list } }));
  expect(fields).toEqual(["metadata"]);
  expect(count.reads).toBeLessThan(16_384);
});

it("a list that is too long is refused without searching each of its items for unknown fields", async () => {
  const { acme } = openAcme();
  const { list, count } = createCountedList({});
  const design = { texts: [{ language: "en", back: list }] };
  const fields = await getRefusedFields(
    acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD", design }),
  );
  expect(fields).toEqual(["design.texts.0.back"]);
  expect(count.reads).toBeLessThan(30_000);
});
