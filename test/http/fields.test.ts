import { beforeAll, describe, expect, test } from "vitest";
import { invalid, malformed, wrongType } from "./answers.js";
import { bodies } from "./body-fields.js";
import { type BodyShape, type Field, jsonTypes, samples, withField } from "./body-shape.js";
import { jsonHeaders } from "./client.js";
import { createWorld, pathOf } from "./endpoints.js";
import { testOnEachDatabase } from "./every-mount.js";

type NamedField = Field & { readonly name: string };

/** Groups a body's fields by the object or array that contains them, so that a group's fields can be wrong together. */
function groupFields({ fields }: BodyShape): NamedField[][] {
  const groups = new Map<string, NamedField[]>();
  for (const [name, field] of Object.entries(fields)) {
    const parent = name.slice(0, Math.max(name.lastIndexOf("."), 0));
    groups.set(parent, [...(groups.get(parent) ?? []), { ...field, name }]);
  }
  return [...groups.values()];
}

const fieldNames = (fields: readonly NamedField[]) => fields.map(({ name }) => name);

/** Functions that build a text of this length from different characters. */
const writers: Readonly<Record<string, (length: number) => string>> = {
  "in ASCII": (length) => "x".repeat(length),
  "outside the basic plane": (length) => "😀".repeat(length),
  "with combining marks": (length) => "e\u0301".repeat(length),
  "with four code points per character in NFC": (length) => "\u03b1\u0313\u0342\u0345".repeat(length),
};

testOnEachDatabase((http) => {
  describe.each(bodies)("the body of $method $path", (shape) => {
    const { valid } = shape;
    const acceptedStatuses = shape.namesNothing ? [404] : [200, 201, 204];
    const groups = groupFields(shape);
    let acme: Awaited<ReturnType<typeof createWorld>>;

    beforeAll(async () => {
      acme = await createWorld(http);
    });

    const sendBody = (body: unknown) => acme.call(shape.method, pathOf(shape, acme.world), body);
    const sendText = (body: string) =>
      acme.send(shape.method, pathOf(shape, acme.world), { headers: jsonHeaders, body });
    /** Builds a valid body with other values for these fields. */
    const buildBodyWith = <F extends NamedField>(fields: readonly F[], sample: (field: F) => unknown) =>
      fields.reduce<unknown>((body, field) => withField(body, field.name, sample(field)), valid());

    test("is accepted if it is valid", async () => {
      const { status } = await sendBody(valid());
      expect(acceptedStatuses).toContain(status);
    });

    test("is refused if it is not an object", async () => {
      for (const type of jsonTypes) {
        if (type !== "object") expect(await sendBody(samples[type]), type).toEqual(malformed);
      }
    });

    test("is refused for all fields of a wrong type in one response", async () => {
      for (const fields of groups) {
        for (const type of jsonTypes) {
          const response = await sendBody(buildBodyWith(fields, () => samples[type]));
          const wrong = fieldNames(fields.filter((field) => !field.types.includes(type)));
          if (wrong.length === 0) expect(response.status, type).not.toBe(400);
          else expect(response, type).toEqual(wrongType(...wrong));
        }
      }
    });

    test("accepts each type that a field may have", async () => {
      for (const field of groups.flat()) {
        for (const type of field.types) {
          const { status } = await sendBody(buildBodyWith([field], () => samples[type]));
          expect(status, `${field.name}: ${type}`).not.toBe(400);
        }
      }
    });

    test("is refused for wrong types before wrong values", async () => {
      for (const fields of groups) {
        for (const { name, types } of fields) {
          if (types.includes("fraction")) continue;
          const wrong = fields.filter((field) => field.name === name || !field.types.includes("string"));
          const body = buildBodyWith(fields, (field) => (field.name === name ? 1.5 : ""));
          expect(await sendBody(body), name).toEqual(wrongType(...fieldNames(wrong)));
        }
      }
    });

    test("ignores unknown fields, whatever their names", async () => {
      const unknown =
        '"unknown":{"deep":[1]},"Name":5,"":null,"__proto__":{"name":5,"email":5},"constructor":1,';
      const { status } = await sendText(`{${unknown}${JSON.stringify(valid()).slice(1)}`);
      expect(acceptedStatuses).toContain(status);
    });

    test("doesn't pollute the prototype of objects", async () => {
      const hostile = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},';
      await sendText(JSON.stringify(valid()).replaceAll('{"', `{${hostile}"`));
      expect(Reflect.get({}, "polluted")).toBeUndefined();
    });

    for (const fields of groups) {
      const texts = fields.filter(({ maxLength }) => maxLength !== undefined);
      const limitedFields = fields.flatMap(({ maxLength, ...field }) =>
        maxLength ? [{ ...field, maxLength }] : [],
      );

      if (texts.length > 0) {
        test(`is refused with NUL or lone surrogates in ${fieldNames(texts).join(", ")}`, async () => {
          for (const text of ["\0", "a\0b", "\ud800", "a\udfffb", "\ude00\ud83d"]) {
            const response = await sendBody(buildBodyWith(texts, () => text));
            expect(response, JSON.stringify(text)).toEqual(invalid(...fieldNames(texts)));
          }
        });
      }

      if (limitedFields.length === 0) continue;
      const limits = limitedFields
        .map(({ name, maxLength }) => `${maxLength} characters in ${name}`)
        .join(", ");

      test.each(Object.entries(writers))(
        `accepts at most ${limits}, written %s`,
        async (description, write) => {
          const longest = buildBodyWith(limitedFields, ({ maxLength }) => write(maxLength));
          const response = await sendBody(longest);
          // A name of only such characters has no slug, so the error is not about its length.
          if (
            ["/v1/user-tags", "/v1/segments"].includes(shape.path) &&
            description === "outside the basic plane"
          ) {
            expect(response).toEqual(invalid("name"));
          } else {
            expect(acceptedStatuses, JSON.stringify(response)).toContain(response.status);
            for (const { name, maxLength } of limitedFields) {
              if (!name.includes(".") && name !== "note") {
                expect(response.body).toHaveProperty(name, write(maxLength));
              }
            }
          }
          for (const longer of [(text: string) => `a${text}`, (text: string) => text.repeat(20)]) {
            const body = buildBodyWith(limitedFields, ({ maxLength }) => longer(write(maxLength)));
            expect(await sendBody(body)).toEqual(invalid(...fieldNames(limitedFields)));
          }
        },
      );

      test(`is refused quickly with as many combining marks as fit in ${fieldNames(limitedFields).join(", ")}`, async () => {
        const text = `a${"\u0300\u0323".repeat(220_000 / limitedFields.length)}`;
        expect(await sendBody(buildBodyWith(limitedFields, () => text))).toEqual(
          invalid(...fieldNames(limitedFields)),
        );
      });
    }
  });
});
