import { expect, it } from "vitest";
import { listNotes } from "../../adapters/apps/console/browser/customers/customer-notes.js";

it("words the sign-up page's note as the consent, and the date and poster of the sign-up", () => {
  const join = {
    consent: "I agree.",
    consentedAt: "2026-05-04T10:00:00.000Z",
    language: "en",
    templateId: "tpl_1",
  };
  expect(listNotes({ join })).toEqual([
    ["Agreed", "I agree."],
    ["Signed up with the poster", expect.stringContaining("May 4, 2026")],
  ]);
});

it("shows each value of a note on its own line, never as JSON", () => {
  const metadata = {
    birthday: "24 May",
    regular: true,
    address: { city: "Graz", zip: 8010, flat: null },
    allergies: ["nuts", "milk"],
    visits: [{ at: "noon" }],
    nothing: {},
    ...{ join: "by phone" },
  };
  expect(listNotes(metadata)).toEqual([
    ["birthday", "24 May"],
    ["regular", "yes"],
    ["address · city", "Graz"],
    ["address · zip", "8010"],
    ["address · flat", "nothing"],
    ["allergies", "nuts, milk"],
    ["visits · 0 · at", "noon"],
    ["nothing", "empty"],
    ["join", "by phone"],
  ]);
});

it("treats a note that only looks like the sign-up page's as an ordinary note", () => {
  expect(listNotes({ join: { consent: "Yes", consentedAt: "yesterday" } })).toEqual([
    ["join · consent", "Yes"],
    ["join · consentedAt", "yesterday"],
  ]);
});
