import fc from "fast-check";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { passContent } from "../../../adapters/wallets/apple/pass-content.js";
import { stringsFile } from "../../../adapters/wallets/apple/pass-package.js";
import {
  fieldsOf,
  localized,
  pairsIn,
  shownOnLockScreen,
} from "../../../adapters/wallets/testing/lock-screen.js";
import { closest } from "../../../src/values/language-lookup.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { openShop } from "../some-shop.js";

const identity = { passTypeId: "pass.example", teamId: "ABCDE12345", organizationName: "Shop" };
const languages = ["en", "de", "de-AT", "pt-BR", "zh-Hant", "x-shop"] as const;

/** Whatever may stand in a text, with much of what means something in JSON, strings files or format strings. */
const text = fc
  .array(
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", "\n", "%@", "$&", '";\n', "News")),
  )
  .map((parts) => parts.join("").replaceAll("\0", "").toWellFormed())
  .filter((said) => said !== "");
const texts = fc
  .uniqueArray(fc.record({ language: fc.constantFrom(...languages), text }), {
    selector: ({ language }) => language,
    minLength: 1,
  })
  .map(([first = { language: "en", text: "" }, ...others]) => [first, ...others] as const);

/** A pass with its files, as a phone gets it. */
function passOf(issued: IssuedCard) {
  const { pass, strings } = passContent(issued, identity, "https://shop.example");
  const files = [...strings].map(
    ([language, pairs]) => [`${language}.lproj/pass.strings`, Buffer.from(stringsFile(pairs))] as const,
  );
  const read: Record<string, unknown> = JSON.parse(JSON.stringify(pass));
  return { pass: read, files: new Map(files) };
}

describe("a pass with a message", () => {
  it("says whatever is written to phones of all its languages, and is told of by one field at most", async () => {
    const { acme, backend, newCard, template } = await openShop(memoryStorage());
    await acme.templates.update(template.id, { design: { texts: [{ language: "en" }, { language: "de" }] } });
    const { id } = await newCard();
    const issued = await backend.card(id);
    if (issued === null) throw new Error("there is no card");
    const before = passOf(issued);
    fc.assert(
      fc.property(texts, fc.boolean(), (said, isMessageNewest) => {
        const message = { id: "msg_1", until: Number.MAX_SAFE_INTEGER, texts: said };
        const after = passOf({ ...issued, message, isMessageNewest });
        const fields = [...fieldsOf(after).values()];
        expect(fields.filter(({ changeMessage }) => changeMessage !== undefined)).toHaveLength(1);
        for (const content of after.files.values()) pairsIn(content.toString());
        for (const language of ["en", "de", ...said.map((each) => each.language)]) {
          const value = String(fieldsOf(after).get("message")?.value);
          const shown = localized(value, after, language);
          const own = closest(said, language).text;
          // A text that is a word of the card is translated as that word is.
          if (shown !== own) expect(localized(value, before, language)).toBe(shown);
          if (isMessageNewest) expect(shownOnLockScreen(before, after, language)).toEqual([shown]);
          else expect(shownOnLockScreen(before, after, language)).toEqual([]);
        }
      }),
    );
  });
});
