import { beforeAll, describe, expect, test } from "vitest";
import { invalid, malformed, wrongType } from "./answers.js";
import { type BodyShape, bodies, type JsonType, samples, withField } from "./body-fields.js";
import { jsonHeaders } from "./client.js";
import { pathOf, world } from "./endpoints.js";
import { onEveryMount } from "./every-mount.js";

const types = Object.keys(samples) as JsonType[];

/** The fields that can all be wrong at once: none is inside another. */
function outermost(fields: BodyShape["fields"]): string[] {
  const names = Object.keys(fields);
  return names.filter((name) => !names.some((other) => name.startsWith(`${other}.`)));
}

/** Texts of so many characters, however they are written. */
const written: Readonly<Record<string, (length: number) => string>> = {
  "in ASCII": (length) => "x".repeat(length),
  "outside the basic plane": (length) => "😀".repeat(length),
  "of letters with combining marks": (length) => "e\u0301".repeat(length),
  "of four code points to each that is left in NFC": (length) => "\u03b1\u0313\u0342\u0345".repeat(length),
};

onEveryMount((http) => {
  describe.each(bodies)("the body of $method $path", (shape) => {
    const { valid } = shape;
    const named = Object.entries(shape.fields);
    let acme: Awaited<ReturnType<typeof world>>;

    beforeAll(async () => {
      acme = await world(http);
    });

    const send = (body: unknown) => acme.call(shape.method, pathOf(shape, acme.world), body);
    const sendText = (body: string) =>
      acme.send(shape.method, pathOf(shape, acme.world), { headers: jsonHeaders, body });

    test("is right as it stands", async () => {
      const { status } = await send(valid());
      expect([200, 201]).toContain(status);
    });

    test("is refused when it is no object", async () => {
      for (const type of types) {
        if (type !== "object") expect(await send(samples[type]), type).toEqual(malformed);
      }
    });

    test("is refused with each field of a wrong type", async () => {
      for (const [name, field] of named) {
        for (const type of types) {
          const answer = await send(withField(valid(), name, samples[type]));
          if (field.types.includes(type)) expect(answer.status, `${name}: ${type}`).not.toBe(400);
          else expect(answer, `${name}: ${type}`).toEqual(wrongType(name));
        }
      }
    });

    test("is refused with all fields of wrong types at once, before any wrong value", async () => {
      const names = outermost(shape.fields);
      const wrong = Object.fromEntries(names.map((name) => [name, 1.5]));
      expect(await send(wrong)).toEqual(wrongType(...names));
      for (const name of names) {
        const mixed = { ...Object.fromEntries(names.map((other) => [other, ""])), [name]: 1.5 };
        const wrongNames = names.filter(
          (other) => other === name || !shape.fields[other]?.types.includes("string"),
        );
        expect(await send(mixed)).toEqual(wrongType(...wrongNames));
      }
    });

    test("ignores unknown fields, however they are called", async () => {
      const unknown =
        '"unknown":{"deep":[1]},"Name":5,"":null,"__proto__":{"name":5,"email":5},"constructor":1,';
      const { status } = await sendText(`{${unknown}${JSON.stringify(valid()).slice(1)}`);
      expect([200, 201]).toContain(status);
    });

    for (const [name, { maxLength }] of named) {
      if (maxLength === undefined) continue;

      test(`is refused with NUL or a lone surrogate in ${name}`, async () => {
        for (const text of ["a\0b", "\ud800", "\ude00\ud83d"]) {
          const answer = await send(withField(valid(), name, text));
          expect(answer, JSON.stringify(text)).toEqual(invalid(name));
        }
      });

      if (maxLength === null) continue;

      test(`is refused with more than ${maxLength} characters in ${name}, however they are written`, async () => {
        for (const [how, write] of Object.entries(written)) {
          const text = write(maxLength);
          const answer = await send(withField(valid(), name, text));
          // There is no slug for a name of nothing but such signs; its length is not what is wrong.
          if (shape.path === "/v1/user-tags" && name === "name" && how === "outside the basic plane") {
            expect(answer).toEqual(invalid("name"));
          } else {
            expect([200, 201], `${how}: ${JSON.stringify(answer)}`).toContain(answer.status);
            if (!name.includes(".") && name !== "note") expect(answer.body).toHaveProperty(name, text);
          }
          for (const longer of [`a${text}`, text.repeat(20)]) {
            expect(await send(withField(valid(), name, longer)), how).toEqual(invalid(name));
          }
        }
      });

      test(`is refused soon with 300,000 combining marks in ${name}`, async () => {
        const text = `a${"\u0300\u0323".repeat(150_000)}`;
        expect(await send(withField(valid(), name, text))).toEqual(invalid(name));
      });
    }

    test("pollutes nothing", async () => {
      const hostile = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},';
      await sendText(JSON.stringify(valid()).replaceAll('{"', `{${hostile}"`));
      expect(Reflect.get({}, "polluted")).toBeUndefined();
    });
  });
});
