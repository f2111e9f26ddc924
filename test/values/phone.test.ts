import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { phoneNumber } from "../../src/base/values/phone.js";
import { runs } from "../properties/runs.js";

const getDigits = (text: string) => text.replace(/[^0-9]/g, "");

/** The zeros of some scripts, each followed by the other digits of its script. */
const zeros = [..."0٠۰०০๐０𝟎𝟢"];

const signs = [..." ()/.-\u00A0\u202F\u3000\u2010\u2011\u2013\u2212\uFF0D\uFF0F\uFF0E・•"];
const unseen = [..."\u00AD\u200B\u200E\u200F\u202A\u202C\u2060\u2066\u2069\uFEFF"];

/** A digit of a script, perhaps followed by a sign and an invisible character. */
const typedDigit = fc.tuple(
  fc.nat({ max: 9 }),
  fc.constantFrom(...zeros),
  fc.constantFrom("", "", ...signs),
  fc.constantFrom("", "", ...unseen),
);

describe("a phone number", () => {
  it("has the digits that were typed, in any script, with any signs between and in them", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(typedDigit, { minLength: 5, maxLength: 15 }), (isAbroad, typed) => {
        const text = typed.map(([digit, zero, sign, mark]) => {
          return String.fromCodePoint((zero.codePointAt(0) ?? 0) + digit) + sign + mark;
        });
        // Brackets are removed, because a zero in brackets may be dropped.
        const number = `${isAbroad ? "+" : ""}${text.join("").replaceAll(/[()]/g, "")}`;
        if (number.length > 100) return;
        const parsed = phoneNumber(number);
        expect(getDigits(parsed ?? "")).toBe(typed.map(([digit]) => digit).join(""));
        expect(parsed?.startsWith("+")).toBe(isAbroad);
      }),
      runs(500),
    );
  });

  it("fits into 20 ASCII characters, and is the same when it is parsed again", () => {
    const characters = fc.constantFrom(..."0123456789", "+", ...zeros, ...signs, ...unseen, "x", "½");
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 40 }), (typed) => {
        const parsed = phoneNumber(typed.join(""));
        if (parsed === null) return;
        expect(parsed).toMatch(/^[+0-9 ()./-]{5,20}$/);
        expect(phoneNumber(parsed)).toBe(parsed);
      }),
      runs(2_000),
    );
  });
});
