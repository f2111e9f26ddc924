import fc from "fast-check";
import { expect, it } from "vitest";
import { metadataReader } from "../../src/base/values/metadata-value.js";
import { runs } from "../properties/runs.js";

it("the reader of a metadata path finds the value that parsing finds, whatever the keys are", () => {
  const keys = fc.constantFrom(
    ...'ab"\\0é\u2028\u007f\n',
    "__proto__",
    "constructor",
    "toString",
    "a.b",
    "",
    "😀",
  );
  const path = fc.array(keys, { minLength: 1, maxLength: 3 });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 0, "a", '"b"', true),
      tie("object"),
      fc.array(tie("value")),
    ),
    object: fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map(Object.fromEntries),
  }));
  const objects = fc.array(fc.tuple(keys, value), { maxLength: 4 }).map(Object.fromEntries);
  fc.assert(
    fc.property(objects, path, fc.constantFrom(0, 1), (object, path, spaces) => {
      const text = JSON.stringify(object, null, spaces);
      const found = path.reduce<unknown>((at, key) => {
        const isObject = typeof at === "object" && at !== null && !Array.isArray(at);
        return isObject ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined;
      }, JSON.parse(text));
      expect(metadataReader(path)(text)).toEqual(found);
    }),
    runs(200),
  );
});
