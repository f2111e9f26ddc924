import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseScreenLocation } from "../../adapters/apps/console/browser/app/place.js";
import { runs } from "../properties/runs.js";

const names = fc.oneof(
  fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((name) => name.isWellFormed() && !/^\.{1,2}$/.test(name)),
  fc.constantFrom("50%", "a%2Fb", "a/b", "%25", "a?b#c", "Ä%C3%84", "a b", "+"),
);

it("A screen's URL yields the name that it was built from, whatever characters that consists of", () => {
  fc.assert(
    fc.property(names, fc.constantFrom("", "/edit"), (name, end) => {
      const { pathname } = new URL(`https://shop.example/customers/${encodeURIComponent(name)}${end}`);
      expect(parseScreenLocation(pathname, "")).toMatchObject({ path: pathname, id: name });
    }),
    runs(500),
  );
});

it("A screen opens even if the percent-encoding in its URL is invalid", () => {
  for (const name of ["%", "%zz", "%ff", "50%"]) {
    expect(parseScreenLocation(`/customers/${name}`, "")).toMatchObject({
      path: `/customers/${name}`,
      id: name,
    });
  }
});
