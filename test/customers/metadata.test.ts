import fc from "fast-check";
import type { Metadata } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { hasExactNumbers } from "../../src/base/values/metadata-value.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

const MAX_BYTES = 16_384;

/** Builds metadata of exactly this many bytes. */
function buildMetadata(bytes: number, character = "a"): Metadata {
  const remainingBytes = bytes - JSON.stringify({ text: "" }).length;
  const size = Buffer.byteLength(character);
  return { text: character.repeat(Math.floor(remainingBytes / size)) + "a".repeat(remainingBytes % size) };
}

/** Builds an object with this many levels, alternately objects and arrays. */
function nestMetadata(levels: number): Metadata {
  let inner: Metadata | Metadata[] = {};
  for (let level = 1; level < levels - 1; level += 1) inner = level % 2 === 0 ? { inner } : [untyped(inner)];
  return levels === 1 ? {} : { inner };
}

describe.each(everyAdapter)("metadata on $name", ({ open }) => {
  it("is returned as it was sent, whatever JSON it is", async () => {
    const { acme } = openAcme({ storage: await open() });
    const json = fc.dictionary(
      fc.string({ unit: "binary" }),
      fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }),
    );
    const text = json
      .map((value) => JSON.stringify(value))
      .filter((each) => isStorable(each) && hasExactNumbers(each));
    await fc.assert(
      fc.asyncProperty(text, async (sentJson) => {
        const user = await acme.users.create({ email: someEmail(), metadata: JSON.parse(sentJson) });
        expect(JSON.stringify(user.metadata)).toBe(sentJson);
        expect(JSON.stringify((await acme.users.get(user.id)).metadata)).toBe(sentJson);
      }),
      runs(40),
    );
  });

  it("treats __proto__, constructor and prototype as ordinary keys", async () => {
    const { acme } = openAcme({ storage: await open() });
    const hostileJson =
      '{"__proto__":{"polluted":true,"__proto__":{"deep":1}},"constructor":{"prototype":{"polluted":true}},' +
      '"prototype":1,"toString":"no","hasOwnProperty":null,"list":[{"__proto__":2}]}';
    const user = await acme.users.create({ email: someEmail(), metadata: JSON.parse(hostileJson) });
    expect(JSON.stringify(user.metadata)).toBe(hostileJson);
    expect(JSON.stringify((await acme.users.get(user.id)).metadata)).toBe(hostileJson);
    const updatedUser = await acme.users.update(user.id, {
      metadata: JSON.parse('{"__proto__":{"polluted":true}}'),
    });
    expect(Object.keys(updatedUser.metadata)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(updatedUser.metadata)).toBe(Object.prototype);
    expect(updatedUser.metadata.polluted).toBeUndefined();
    expect(untyped({}).polluted).toBeUndefined();
  });

  it("is replaced as a whole by a PATCH", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail(), metadata: { a: 1, b: { c: 2 } } });
    expect((await acme.users.update(id, { metadata: { b: { d: 3 } } })).metadata).toEqual({ b: { d: 3 } });
    expect((await acme.users.update(id, { name: "Ada" })).metadata).toEqual({ b: { d: 3 } });
    expect((await acme.users.update(id, { metadata: {} })).metadata).toEqual({});
  });

  it(`may have at most ${MAX_BYTES} UTF-8 bytes`, async () => {
    const { acme } = openAcme({ storage: await open() });
    for (const character of ["a", "ü", "€", "😀"]) {
      const metadata = buildMetadata(MAX_BYTES, character);
      expect((await acme.users.create({ email: someEmail(), metadata })).metadata).toEqual(metadata);
      const tooLarge = buildMetadata(MAX_BYTES + 1, character);
      expect(await getRefusedFields(acme.users.create({ email: someEmail(), metadata: tooLarge }))).toEqual([
        "metadata",
      ]);
    }
  });

  it("is measured as its JSON text, including escapes", async () => {
    const { acme } = openAcme({ storage: await open() });
    const halfLength = (MAX_BYTES - JSON.stringify({ text: "" }).length) / 2;
    const userWithQuotes = (count: number) => ({ email: someEmail(), metadata: { text: '"'.repeat(count) } });
    await acme.users.create(userWithQuotes(Math.floor(halfLength)));
    expect(await getRefusedFields(acme.users.create(userWithQuotes(Math.floor(halfLength) + 1)))).toEqual([
      "metadata",
    ]);
  });
});

describe("metadata", () => {
  const refuseMetadata = async (metadata: unknown) => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: someEmail() });
    const createError = await getErrorDetail(
      acme.users.create({ email: someEmail(), metadata: untyped(metadata) }),
    );
    expect(await getErrorDetail(acme.users.update(id, { metadata: untyped(metadata) }))).toEqual(createError);
    return createError;
  };
  const wrongValue = { code: "validation_failed", fields: { metadata: expect.any(String) } };

  it("may be 8 levels deep, including itself", async () => {
    const { acme } = openAcme();
    for (let levels = 1; levels <= 8; levels += 1) {
      const user = await acme.users.create({ email: someEmail(), metadata: nestMetadata(levels) });
      expect(user.metadata).toEqual(nestMetadata(levels));
    }
    expect(await refuseMetadata(nestMetadata(9))).toEqual(wrongValue);
    expect(await refuseMetadata(nestMetadata(100_000))).toEqual(wrongValue);
  });

  it("must be an object; anything else is a wrong type", async () => {
    for (const metadata of [null, "a", 1, true, [], [{}], new Date(), new Map()]) {
      expect(await refuseMetadata(metadata)).toEqual(wrongType("metadata"));
    }
  });

  it("may contain only JSON values", async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const otherValues = [1n, () => 1, Symbol("a"), new Date(), new Map(), /a/];
    for (const value of [...otherValues, new Set(), Object(1), cycle]) {
      expect(await refuseMetadata({ value })).toEqual(wrongValue);
      expect(await refuseMetadata({ list: [value] })).toEqual(wrongValue);
    }
  });

  it.each([2 ** 53, -(2 ** 53), 1e20, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "can't contain %s, which isn't distinct from other numbers or isn't written unchanged",
    async (value) => {
      const fieldError = (path: string) => ({
        code: "validation_failed",
        fields: { [path]: expect.any(String) },
      });
      expect(await refuseMetadata({ value })).toEqual(fieldError("metadata.value"));
      expect(await refuseMetadata({ list: [1, { value }] })).toEqual(fieldError("metadata.list.1.value"));
    },
  );

  it("may contain numbers that are returned unchanged", async () => {
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

  it("can't contain NUL or a lone surrogate, not even in keys", async () => {
    for (const text of ["\0", "\uD800", "a\uDFFF"]) {
      expect(await refuseMetadata({ text })).toEqual(wrongValue);
      expect(await refuseMetadata({ [text]: 1 })).toEqual(wrongValue);
      expect(await refuseMetadata({ list: [{ deep: text }] })).toEqual(wrongValue);
    }
  });
});

/** Returns whether the JSON text has no NUL and no lone surrogates, and is within the limit. */
function isStorable(json: string): boolean {
  return !/\\u0000|\\ud[89a-f]/.test(json) && Buffer.byteLength(json) <= MAX_BYTES;
}
