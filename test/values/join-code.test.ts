import fc from "fast-check";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { newId, uuidV7 } from "../../src/base/values/ids.js";
import { decodeJoinCode, encodeJoinCode } from "../../src/base/values/short-link.js";

describe("the code of a join link", () => {
  it("has 21 letters and digits, from which the template can be decoded", () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(bytes, fc.nat(0xffff_ffff), (random, msecs) => {
        const id = `tpl_${v7({ random, msecs })}`;
        const code = encodeJoinCode(id) ?? "";
        expect(code).toMatch(/^[0-9A-Za-z]{21}$/);
        expect(decodeJoinCode(code)).toBe(id);
      }),
    );
    const id = newId("tpl", uuidV7);
    expect(decodeJoinCode(encodeJoinCode(id) ?? "")).toBe(id);
  });

  it("belongs to only one template, and each template has one code", () => {
    const letters = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
    const text = fc.array(fc.constantFrom(...letters), { minLength: 21, maxLength: 21 });
    fc.assert(
      fc.property(text, (digits) => {
        const code = digits.join("");
        const id = decodeJoinCode(code);
        if (id !== null) expect(encodeJoinCode(id)).toBe(code);
      }),
    );
  });

  it.each(["", "z".repeat(21), "0".repeat(20), "0".repeat(22), `${"0".repeat(20)}-`, "0".repeat(1_000_000)])(
    "is invalid if no template can have it (%#)",
    (code) => {
      expect(decodeJoinCode(code)).toBe(null);
    },
  );

  it.each(["tpl_1", "usr_0198c5d2-e7f0-7abc-8def-0123456789ab", "tpl_0198c5d2-e7f0-4abc-8def-0123456789ab"])(
    "doesn't exist for %s, which isn't a template's UUID of version 7",
    (id) => {
      expect(encodeJoinCode(id)).toBe(null);
    },
  );
});
