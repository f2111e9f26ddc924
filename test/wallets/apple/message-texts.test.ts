import fc from "fast-check";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { buildPassContent } from "../../../adapters/delivery/wallets/apple/pass-content.js";
import { formatStringsFile } from "../../../adapters/delivery/wallets/apple/pass-package.js";
import {
  fieldsOf,
  listLockScreenTexts,
  localized,
  parseStrings,
} from "../../../adapters/testing/wallets/lock-screen.js";
import { findClosestLanguage } from "../../../src/base/values/language-lookup.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { openShop } from "../some-shop.js";

const identity = { passTypeId: "pass.example", teamId: "ABCDE12345", organizationName: "Shop" };
const languages = ["en", "de", "de-AT", "pt-BR", "zh-Hant", "x-shop"] as const;

/** Any text, with many characters that mean something in JSON, strings files or format strings. */
const text = fc
  .array(
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "\\", "\n", "%@", "$&", '";\n', "News")),
  )
  .map((parts) => parts.join("").replaceAll("\0", "").toWellFormed())
  .filter((line) => line !== "");
const texts = fc
  .uniqueArray(fc.record({ language: fc.constantFrom(...languages), text }), {
    selector: ({ language }) => language,
    minLength: 1,
  })
  .map(([first = { language: "en", text: "" }, ...others]) => [first, ...others] as const);

/** Builds a pass with its files, as a phone gets it. */
function readPass(issuedCard: IssuedCard) {
  const { pass, strings } = buildPassContent(issuedCard, identity, "https://shop.example");
  const files = [...strings].map(
    ([language, pairs]) => [`${language}.lproj/pass.strings`, Buffer.from(formatStringsFile(pairs))] as const,
  );
  const parsedPass: Record<string, unknown> = JSON.parse(JSON.stringify(pass));
  return { pass: parsedPass, files: new Map(files) };
}

describe("a pass with a message", () => {
  it("shows any text on phones in all its languages, and only one field announces changes", async () => {
    const { acme, backend, newCard, template } = await openShop(memoryStorage());
    await acme.templates.update(template.id, { design: { texts: [{ language: "en" }, { language: "de" }] } });
    const { id } = await newCard();
    const issuedCard = await backend.card(id);
    if (issuedCard === null) throw new Error("there is no card");
    const before = readPass(issuedCard);
    fc.assert(
      fc.property(texts, fc.boolean(), (messageTexts, isMessageNewest) => {
        const message = { id: "msg_1", until: Number.MAX_SAFE_INTEGER, texts: messageTexts };
        const after = readPass({ ...issuedCard, message, isMessageNewest });
        const fields = [...fieldsOf(after).values()];
        expect(fields.filter(({ changeMessage }) => changeMessage !== undefined)).toHaveLength(1);
        for (const content of after.files.values()) parseStrings(content.toString());
        for (const language of ["en", "de", ...messageTexts.map((each) => each.language)]) {
          const value = String(fieldsOf(after).get("message")?.value);
          const shownText = localized(value, after, language);
          const own = findClosestLanguage(messageTexts, language).text;
          expect(shownText).toBe(own);
          if (isMessageNewest) expect(listLockScreenTexts(before, after, language)).toEqual([shownText]);
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
  const listTexts = (language: string) =>
    fc.record({
      language: fc.constant(language),
      title: word,
      description: word,
      front: fc.array(line, { minLength: 2, maxLength: 2 }),
      back: fc.array(line, { minLength: 1, maxLength: 1 }),
      terms: word,
      toGo: word,
    });

  it("shows each text in its own translation, even where another place has the same text", async () => {
    const { acme, backend, newCard, template: card } = await openShop(memoryStorage());
    await acme.templates.update(card.id, { reward: "Coffee", design: {} });
    const { id } = await newCard();
    const issuedCard = await backend.card(id);
    if (!issuedCard?.template?.design) throw new Error("there is no design");
    const { template } = issuedCard;
    const { design } = issuedCard.template;
    fc.assert(
      fc.property(fc.tuple(listTexts("en"), listTexts("de"), listTexts("fr")), word, (all, reward) => {
        const texts = all.map((own) => ({
          stampsLabel: null,
          rewardsLabel: null,
          rewardReady: null,
          ...own,
        }));
        const pass = readPass({
          ...issuedCard,
          template: { ...template, reward, design: { ...design, texts } },
        });
        const fields = fieldsOf(pass);
        for (const { language, title, description, front, back, terms, toGo } of all) {
          const localizeText = (text: unknown) => localized(String(text), pass, language);
          const getValue = (key: string) => localizeText(fields.get(key)?.value);
          expect(localizeText(pass.pass.logoText)).toBe(title);
          expect(localizeText(pass.pass.description)).toBe(description);
          expect(localizeText(pass.pass.organizationName)).toBe("Shop");
          expect([getValue("front0"), getValue("front1")]).toEqual(front.map(({ value }) => value));
          expect([getValue("back0"), getValue("terms"), getValue("next")]).toEqual([
            back[0]?.value,
            terms,
            toGo,
          ]);
          expect(getValue("reward")).toBe(reward);
          expect(localizeText(Reflect.get(fields.get("front0") ?? {}, "label"))).toBe(front[0]?.label);
          expect(localizeText("%@")).toBe("%@");
        }
        const getShown = (key: string) => String(fields.get(key)?.value).replaceAll("\u2060", "");
        expect(getShown("front1")).toBe(all[0].front[1]?.value.replaceAll("\u2060", ""));
      }),
    );
  });
});
