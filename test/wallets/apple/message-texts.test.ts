import fc from "fast-check";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { buildPassContent } from "../../../adapters/delivery/wallets/apple/pass-content.js";
import { formatStringsFile } from "../../../adapters/delivery/wallets/apple/pass-package.js";
import {
  fieldsOf,
  listLockScreenTexts,
  localized,
  pairsIn,
} from "../../../adapters/testing/wallets/lock-screen.js";
import { findClosestLanguage } from "../../../src/base/values/language-lookup.js";
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
  const { pass, strings } = buildPassContent(issued, identity, "https://shop.example");
  const files = [...strings].map(
    ([language, pairs]) => [`${language}.lproj/pass.strings`, Buffer.from(formatStringsFile(pairs))] as const,
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
          const own = findClosestLanguage(said, language).text;
          expect(shown).toBe(own);
          if (isMessageNewest) expect(listLockScreenTexts(before, after, language)).toEqual([shown]);
          else expect(listLockScreenTexts(before, after, language)).toEqual([]);
        }
      }),
    );
  });
});

describe("a pass in several languages", () => {
  const word = fc.constantFrom(
    "Coffee",
    "Kaffee",
    "Bohnen",
    "%@",
    "Shop",
    "2",
    "3 more to go",
    "Coffee\u2060",
  );
  const line = fc.record({ label: word, value: word });
  const textsIn = (language: string) =>
    fc.record({
      language: fc.constant(language),
      title: word,
      description: word,
      front: fc.array(line, { minLength: 2, maxLength: 2 }),
      back: fc.array(line, { minLength: 1, maxLength: 1 }),
      terms: word,
      toGo: word,
    });

  it("says each text in its own translation, also where another place has the same text", async () => {
    const { acme, backend, newCard, template: card } = await openShop(memoryStorage());
    await acme.templates.update(card.id, { reward: "Coffee", design: {} });
    const { id } = await newCard();
    const issued = await backend.card(id);
    if (!issued?.template?.design) throw new Error("there is no design");
    const { template } = issued;
    const { design } = issued.template;
    fc.assert(
      fc.property(fc.tuple(textsIn("en"), textsIn("de"), textsIn("fr")), word, (all, reward) => {
        const texts = all.map((own) => ({
          stampsLabel: null,
          rewardsLabel: null,
          rewardReady: null,
          ...own,
        }));
        const pass = passOf({ ...issued, template: { ...template, reward, design: { ...design, texts } } });
        const fields = fieldsOf(pass);
        for (const { language, title, description, front, back, terms, toGo } of all) {
          const said = (text: unknown) => localized(String(text), pass, language);
          const value = (key: string) => said(fields.get(key)?.value);
          expect(said(pass.pass.logoText)).toBe(title);
          expect(said(pass.pass.description)).toBe(description);
          expect(said(pass.pass.organizationName)).toBe("Shop");
          expect([value("front0"), value("front1")]).toEqual(front.map(({ value }) => value));
          expect([value("back0"), value("terms"), value("next")]).toEqual([back[0]?.value, terms, toGo]);
          expect(value("reward")).toBe(reward);
          expect(said(Reflect.get(fields.get("front0") ?? {}, "label"))).toBe(front[0]?.label);
          expect(said("%@")).toBe("%@");
        }
        const shown = (key: string) => String(fields.get(key)?.value).replaceAll("\u2060", "");
        expect(shown("front1")).toBe(all[0].front[1]?.value.replaceAll("\u2060", ""));
      }),
    );
  });
});
