import fc from "fast-check";
import type { Metadata } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { hasExactNumbers } from "../../src/base/values/json-numbers.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

const MAX_BYTES = 16_384;

/** Metadata of exactly so many bytes. */
function metadataOf(bytes: number, character = "a"): Metadata {
  const left = bytes - JSON.stringify({ text: "" }).length;
  const size = Buffer.byteLength(character);
  return { text: character.repeat(Math.floor(left / size)) + "a".repeat(left % size) };
}

/** An object so many levels deep, itself the first, of objects and arrays in turn. */
function nested(levels: number): Metadata {
  let inner: Metadata | Metadata[] = {};
  for (let level = 1; level < levels - 1; level += 1) inner = level % 2 === 0 ? { inner } : [untyped(inner)];
  return levels === 1 ? {} : { inner };
}

describe.each(everyAdapter)("metadata on $name", ({ open }) => {
  it("comes back as it was sent, whatever JSON it is", async () => {
    const { acme } = openAcme({ storage: await open() });
    const json = fc.dictionary(
      fc.string({ unit: "binary" }),
      fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }),
    );
    const text = json
      .map((value) => JSON.stringify(value))
      .filter((each) => isStorable(each) && hasExactNumbers(each));
    await fc.assert(
      fc.asyncProperty(text, async (sent) => {
        const user = await acme.users.create({ email: someEmail(), metadata: JSON.parse(sent) });
        expect(JSON.stringify(user.metadata)).toBe(sent);
        expect(JSON.stringify((await acme.users.get(user.id)).metadata)).toBe(sent);
      }),
      runs(40),
    );
  });

  it("has ordinary keys only, __proto__, constructor and prototype among them", async () => {
    const { acme } = openAcme({ storage: await open() });
    const sent =
      '{"__proto__":{"polluted":true,"__proto__":{"deep":1}},"constructor":{"prototype":{"polluted":true}},' +
      '"prototype":1,"toString":"no","hasOwnProperty":null,"list":[{"__proto__":2}]}';
    const user = await acme.users.create({ email: someEmail(), metadata: JSON.parse(sent) });
    expect(JSON.stringify(user.metadata)).toBe(sent);
    expect(JSON.stringify((await acme.users.get(user.id)).metadata)).toBe(sent);
    const changed = await acme.users.update(user.id, {
      metadata: JSON.parse('{"__proto__":{"polluted":true}}'),
    });
    expect(Object.keys(changed.metadata)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(changed.metadata)).toBe(Object.prototype);
    expect(changed.metadata.polluted).toBeUndefined();
    expect(untyped({}).polluted).toBeUndefined();
  });

  it("is replaced whole by a PATCH", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail(), metadata: { a: 1, b: { c: 2 } } });
    expect((await acme.users.update(id, { metadata: { b: { d: 3 } } })).metadata).toEqual({ b: { d: 3 } });
    expect((await acme.users.update(id, { name: "Ada" })).metadata).toEqual({ b: { d: 3 } });
    expect((await acme.users.update(id, { metadata: {} })).metadata).toEqual({});
  });

  it(`may have ${MAX_BYTES} UTF-8 bytes`, async () => {
    const { acme } = openAcme({ storage: await open() });
    for (const character of ["a", "ü", "€", "😀"]) {
      const metadata = metadataOf(MAX_BYTES, character);
      expect((await acme.users.create({ email: someEmail(), metadata })).metadata).toEqual(metadata);
      const tooLarge = metadataOf(MAX_BYTES + 1, character);
      expect(await getRefusedFields(acme.users.create({ email: someEmail(), metadata: tooLarge }))).toEqual([
        "metadata",
      ]);
    }
  });

  it("is measured as JSON writes it, escapes included", async () => {
    const { acme } = openAcme({ storage: await open() });
    const half = (MAX_BYTES - JSON.stringify({ text: "" }).length) / 2;
    const quotes = (count: number) => ({ email: someEmail(), metadata: { text: '"'.repeat(count) } });
    await acme.users.create(quotes(Math.floor(half)));
    expect(await getRefusedFields(acme.users.create(quotes(Math.floor(half) + 1)))).toEqual(["metadata"]);
  });
});

describe("metadata", () => {
  const refusedAs = async (metadata: unknown) => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: someEmail() });
    const onCreate = await getErrorDetail(
      acme.users.create({ email: someEmail(), metadata: untyped(metadata) }),
    );
    expect(await getErrorDetail(acme.users.update(id, { metadata: untyped(metadata) }))).toEqual(onCreate);
    return onCreate;
  };
  const wrongValue = { code: "validation_failed", fields: { metadata: expect.any(String) } };

  it("may be 8 levels deep, itself the first", async () => {
    const { acme } = openAcme();
    for (let levels = 1; levels <= 8; levels += 1) {
      const user = await acme.users.create({ email: someEmail(), metadata: nested(levels) });
      expect(user.metadata).toEqual(nested(levels));
    }
    expect(await refusedAs(nested(9))).toEqual(wrongValue);
    expect(await refusedAs(nested(100_000))).toEqual(wrongValue);
  });

  it("is an object, anything else is a wrong type", async () => {
    for (const metadata of [null, "a", 1, true, [], [{}], new Date(), new Map()]) {
      expect(await refusedAs(metadata)).toEqual(wrongType("metadata"));
    }
  });

  it("holds JSON values only", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const others = [1n, () => 1, Symbol("a"), new Date(), new Map(), /a/];
    for (const value of [...others, new Set(), Object(1), cycle]) {
      expect(await refusedAs({ value })).toEqual(wrongValue);
      expect(await refusedAs({ list: [value] })).toEqual(wrongValue);
    }
  });

  it.each([2 ** 53, -(2 ** 53), 1e20, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "doesn't hold %s, which can't be told from other numbers or isn't written as it is",
    async (value) => {
      const refused = (path: string) => ({
        code: "validation_failed",
        fields: { [path]: expect.any(String) },
      });
      expect(await refusedAs({ value })).toEqual(refused("metadata.value"));
      expect(await refusedAs({ list: [1, { value }] })).toEqual(refused("metadata.list.1.value"));
    },
  );

  it("holds numbers that come back as they are", async () => {
    const { acme } = openAcme();
    const numbers = [
      0,
      2 ** 53 - 1,
      1 - 2 ** 53,
      0.1,
      -1.5,
      1e-300,
      5e-324,
      123456789.12345679,
      1e21,
      -Number.MAX_VALUE,
    ];
    const { metadata } = await acme.users.create({ email: someEmail(), metadata: { numbers } });
    expect(metadata).toEqual({ numbers });
  });

  it("holds no NUL and no lone surrogate, in keys neither", async () => {
    for (const text of ["\0", "\uD800", "a\uDFFF"]) {
      expect(await refusedAs({ text })).toEqual(wrongValue);
      expect(await refusedAs({ [text]: 1 })).toEqual(wrongValue);
      expect(await refusedAs({ list: [{ deep: text }] })).toEqual(wrongValue);
    }
  });
});

/** JSON text of values without NUL and lone surrogates, within the limits. */
function isStorable(json: string): boolean {
  return !/\\u0000|\\ud[89a-f]/.test(json) && Buffer.byteLength(json) <= MAX_BYTES;
}
