import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCsv } from "../../adapters/apps/console/browser/customers/csv.js";
import { parseCsvFile } from "../../adapters/apps/console/browser/customers/csv-file.js";
import { parseHeader } from "../../adapters/apps/csv/columns.js";
import { csvRecords } from "../../adapters/apps/csv/reader.js";
import { csvText } from "../../adapters/apps/csv/writer.js";
import { escapeFormula, unescapeFormula } from "../../src/base/values/formula-guard.js";
import { collect } from "../kit/collect.js";
import { filledTexts } from "../properties/arbitraries.js";
import { runs } from "../properties/runs.js";

/** Characters of formulas, guards, separators and quotes, and those that are skipped or change the direction. */
const marks = [..."'\"=+-@,;|\t\r\n \u00A0\uFEFF\u200B\u202E\u2066\uFF1D\uFF0B\uFF0D\uFF20a1(!"];
const texts = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...marks), { maxLength: 8 }).map((some) => some.join("")),
  },
  filledTexts(20),
);

const knownCells = [
  "x;=1+1",
  "=1+1",
  "＝1+1",
  "-1-2",
  "'=Ada",
  "''=Ada",
  "\t=1",
  "\tx",
  "\r",
  "a\n@b",
  ' "=1',
  "1,-2",
  "+49 30 1",
];

/** Splits a file into cells like a spreadsheet with this separator: a quote counts where a cell begins. */
function parseCells(file: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let state: "start" | "plain" | "quoted" = "start";
  for (let at = 0; at < file.length; at += 1) {
    const character = file[at] ?? "";
    if (state === "quoted") {
      if (character !== '"') cell += character;
      else if (file[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else state = "plain";
    } else if (character === separator || character === "\n" || character === "\r") {
      cells.push(cell);
      cell = "";
      state = "start";
    } else if (state === "start" && character === '"') state = "quoted";
    else {
      cell += character;
      state = "plain";
    }
  }
  return [...cells, cell];
}

/** What Excel, LibreOffice and Google Sheets treat as a formula, if they skip spaces and quotes before it. */
const formula = /^[\s"\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u;

describe("a text in a cell", () => {
  it.each(knownCells)("is guarded, and can be restored: %j", (text) => {
    expect(escapeFormula(text)).toContain("'");
    expect(escapeFormula(text)).not.toBe(text);
    expect(unescapeFormula(escapeFormula(text))).toBe(text);
  });

  it("can be restored, whatever it is", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(unescapeFormula(escapeFormula(text))).toBe(text);
      }),
      runs(3_000),
    );
  });

  it("stays unchanged if no spreadsheet treats it as a formula", () => {
    for (const text of ["Ada", "ada@example.com", "a-b", "'Ada", "O'Neil", "1.5", "vip;new", ""])
      expect(escapeFormula(text)).toBe(text);
  });

  it("takes time in proportion to its length, whatever it contains", () => {
    const longCell = escapeFormula(`${"'".repeat(200_000)}x`.concat(" ;".repeat(200_000)));
    expect(longCell.length).toBe(600_001);
  });
});

const unknownForm = { encoding: null, delimiter: null };

describe.each([
  {
    name: "the command line",
    write: async (rows: string[][]) =>
      (await collect(csvText(createUserRows(rows), { delimiter: ",", hasMark: false }))).join(""),
    read: async (file: string) =>
      (await collect(csvRecords(yieldOnce(file), unknownForm, parseHeader)))
        .slice(1)
        .map(({ cells }) => cells.slice(1, 3).map(unescapeFormula)),
  },
  {
    name: "the console",
    write: async (rows: string[][]) => toCsv(["email", "name", "phone"], rows),
    read: async (file: string) =>
      (await parseCsvFile(Buffer.from(file), unknownForm)).rows.map(({ cells }) =>
        cells.slice(1).map(unescapeFormula),
      ),
  },
])("a file of $name", ({ write, read }) => {
  const rows = fc.array(fc.tuple(texts, texts), { minLength: 1, maxLength: 4 });
  const addEmails = (some: readonly (readonly string[])[]) =>
    some.map((texts, at) => [`a${at}@example.com`, ...texts]);

  it("can be read back, whatever its texts are", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (some) => {
        expect(await read(await write(addEmails(some)))).toEqual(some);
      }),
      runs(150),
    );
  });

  it("has no cell that is a formula, whatever separator a spreadsheet uses", async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(",", ";", "\t", "|"), async (some, separator) => {
        const cells = parseCells(await write(addEmails(some)), separator);
        expect(cells.filter((cell) => formula.test(cell))).toEqual([]);
      }),
      runs(300),
    );
  });
});

function createUserRows(rows: readonly string[][]) {
  const users = rows.map(([email = "", name = "", phone = ""]) => ({
    ...{ id: "usr_1", object: "user" as const, email, name, phone, externalId: null, metadata: {}, tags: [] },
    ...{ createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" },
  }));
  async function* yieldRows() {
    yield* users;
  }
  return { list: yieldRows, export: yieldRows };
}

async function* yieldOnce(text: string) {
  yield Buffer.from(text);
}
