import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK_SIZE } from "../../adapters/storage/kysely/contacts/search-blocks.js";
import { TextBlock, toSearchBytes } from "../../adapters/storage/sqlite/word-index.js";
import { runs } from "../properties/runs.js";

const texts = fc
  .array(fc.constantFrom("a", "b", "%", "é", "😀"), { maxLength: 6 })
  .map((all) => all.join(""));
const places = fc.nat({ max: BLOCK_SIZE - 1 });
const blocks = fc
  .uniqueArray(fc.tuple(places, texts), { selector: ([place]) => place, maxLength: 40 })
  .map((all) => new Map(all.toSorted(([a], [b]) => a - b)));

function findOrdinals(block: TextBlock, term: string): number[] {
  const ordinals: number[] = [];
  block.appendMatches(toSearchBytes(term), 1_000, ordinals);
  return ordinals;
}

const findExpected = (users: ReadonlyMap<number, string>, term: string) =>
  [...users].filter(([, text]) => text.includes(term)).map(([place]) => 1_000 + place);

describe("a text block", () => {
  it("finds each text with the term once, and no match across two texts", () => {
    fc.assert(
      fc.property(blocks, texts, (users, term) => {
        fc.pre(term !== "");
        expect(findOrdinals(TextBlock.of(users), term)).toEqual(findExpected(users, term));
      }),
      runs(200),
    );
  });

  it("is the same after a change as if it had been built with it", () => {
    fc.assert(
      fc.property(blocks, places, fc.option(texts), (users, place, text) => {
        const changedUsers = new Map(users);
        if (text === null) changedUsers.delete(place);
        else changedUsers.set(place, text);
        const rebuilt = TextBlock.of([...changedUsers].toSorted(([a], [b]) => a - b));
        expect(TextBlock.of(users).with(place, text).bytes).toEqual(rebuilt.bytes);
      }),
      runs(200),
    );
  });
});
