import { LoyaltyService } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

const BEYOND = [2 ** 40 - 1, 2 ** 40, 2 ** 40 + 1, 2 ** 41, Number.MAX_SAFE_INTEGER];

/** Creates organizations that add tags in turn. One has a name that sorts before an older one's. */
async function createEvents() {
  const file = createTemporaryFile();
  const storage = await open(file);
  const loyalty = new LoyaltyService({ storage });
  const names = ["globex", "acme", "initech"];
  for (const name of ["a", "b", "c"]) {
    for (const each of names) await loyalty.organization(each).tags.create({ name });
  }
  const listEvents = async (each: string) => (await loyalty.organization(each).events.list()).content;
  return { file, storage, loyalty, names, listEvents };
}

describe("the events of an organization", () => {
  it("never include those of another, whatever positions are requested", async () => {
    const { storage, names } = await createEvents();
    for (const each of [...names, "none"]) {
      for (const position of BEYOND) {
        expect(await runStep(storage.reader(each).listEvents(null, position, 10))).toEqual([]);
        expect(await runStep(storage.reader(each).listEvents(["user_tag.created"], position, 10))).toEqual(
          [],
        );
        expect(await runStep(storage.reader(each).eventsAt([position]))).toEqual([]);
      }
      const [others] = await runStep(
        storage.reader(each === "acme" ? "globex" : "acme").listEvents(null, 0, 1),
      );
      const everywhere = { after: 0, to: Number.MAX_SAFE_INTEGER };
      expect(await runStep(storage.reader(each).findEventIn(others?.id ?? "", everywhere))).toBeNull();
    }
    const all = await runStep(storage.reader("acme").listEvents(null, -5, 10));
    expect(all.map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(
      (await runStep(storage.reader("acme").eventsAt([0, 3, 4, 1]))).map(({ position }) => position),
    ).toEqual([1, 3]);
  });

  it("are found and moved back by a check, wherever they were moved", async () => {
    const { file, storage, names, listEvents } = await createEvents();
    const before = await Promise.all(names.map(listEvents));
    const other = otherProgram(file);
    const org = 2 ** 40;
    for (const [from, to] of [
      [org + 2, 7],
      [2 * org + 2, -3 * org],
      [3 * org + 1, org + 99],
      [3 * org + 3, 90 * org],
    ]) {
      other.prepare("update loyalty_events set place = cast(? as integer) where place = ?").run(to, from);
    }
    const found = await checkStorage(storage, { repair: true });
    const places = found.filter(({ about }) => about.startsWith("events.place of "));
    expect(places).toHaveLength(4);
    expect(found.every(({ isRepaired }) => isRepaired)).toBe(true);
    expect(await checkStorage(storage)).toEqual([]);
    expect(await Promise.all(names.map(listEvents))).toEqual(before);
  });
});
