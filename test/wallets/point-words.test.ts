import { describe, expect, it } from "vitest";
import { describePoints } from "../../adapters/delivery/languages/point-words.js";

const points = {
  ...{ unit: null, available: 12_500, debt: 0 },
  expiring: { points: 30, day: 20_665 },
  upcoming: { points: 15, day: 20_668 },
};

describe("the texts about points on cards", () => {
  it.each([
    ["en", "12,500 points", "30 points expire on 31 July 2026", "15 more from 3 August"],
    ["en-US", "12,500 points", "30 points expire on July 31, 2026", "15 more from August 3"],
    ["de", "12.500 Punkte", "30 Punkte verfallen am 31. Juli 2026", "15 mehr ab dem 3. August"],
    ["fr", "12 500 points", "30 points expirent le 31 juillet 2026", "15 de plus à partir du 3 août"],
    ["es", "12.500 puntos", "30 puntos caducan el 31 de julio de 2026", "15 más a partir del 3 de agosto"],
    ["it", "12.500 punti", "30 punti scadono il giorno 31 luglio 2026", "15 in più dal giorno 3 agosto"],
    ["nl", "12.500 punten", "30 punten verlopen op 31 juli 2026", "nog 15 vanaf 3 augustus"],
    ["pt", "12 500 pontos", "30 pontos expiram a 31 de julho de 2026", "mais 15 a partir de 3 de agosto"],
    ["pl", "12 500 punktów", "30 punktów wygasa 31 lipca 2026", "jeszcze 15 od 3 sierpnia"],
    ["ja", "12,500 points", "30 points expire on 31 July 2026", "15 more from 3 August"],
  ])("are in the language %s", (language, ...expected) => {
    const { balance, expiry, upcoming } = describePoints(points, language);
    expect([balance, expiry, upcoming].map((text) => text?.replaceAll(/\s/g, " "))).toEqual(expected);
  });

  it("have the plural form that the number needs", () => {
    const describeOne = (language: string, count: number) => {
      const few = { ...points, available: count, expiring: { points: count, day: 20_666 } };
      const { balance, expiry } = describePoints(few, language);
      return [balance, expiry];
    };
    expect(describeOne("en", 1)).toEqual(["1 point", "1 point expires on 1 August 2026"]);
    expect(describeOne("en", 0)[0]).toBe("0 points");
    expect(describeOne("de", 1)).toEqual(["1 Punkt", "1 Punkt verfällt am 1. August 2026"]);
    expect(describeOne("fr", 1)).toEqual(["1 point", "1 point expire le 1er août 2026"]);
    expect(describeOne("pl", 3)).toEqual(["3 punkty", "3 punkty wygasają 1 sierpnia 2026"]);
  });

  it("use the shop's own unit unchanged, even if it looks like a pattern", () => {
    const { unit, amount, balance, expiry } = describePoints({ ...points, unit: "$& {date}" }, "en");
    expect([unit, amount, balance]).toEqual(["$& {date}", "12,500", "12,500 $& {date}"]);
    expect(expiry).toBe("30 $& {date} expire on 31 July 2026");
  });

  it("mention nothing that isn't there, and name a debt", () => {
    const none = { unit: null, available: 0, debt: 0, expiring: null, upcoming: null };
    expect(describePoints(none, "en")).toMatchObject({ expiry: null, upcoming: null, debt: null });
    expect(describePoints({ ...none, debt: 5 }, "de")).toMatchObject({
      debtLabel: "Minus",
      debt: "5 Punkte",
    });
  });
});
