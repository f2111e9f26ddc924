import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { columnsOf } from "../../adapters/cli/csv/rows.js";
import { csvFile } from "../../adapters/console/browser/customers/csv.js";
import { importing as german } from "../../adapters/console/browser/words/de/transfer.js";
import { importing as english } from "../../adapters/console/browser/words/en/transfer.js";
import { cardColumns } from "../../adapters/csv/columns.js";
import { faultText } from "../../adapters/csv/faults.js";
import { ran } from "../cli/ran.js";

const lenient = { map: new Map(), ignoreUnknown: true };

/** Each header as somebody writes it, and what it is for. */
const headers: readonly (readonly [header: string, field: string])[] = [
  ["External ID", "externalId"],
  ["external_id", "externalId"],
  ["External-Id", "externalId"],
  ["First name", "firstName"],
  ["LAST_NAME", "lastName"],
  ["Tags", "tags"],
  ["telephone", "phone"],
  ["Phone", "phone"],
  ["Created at", "createdAt"],
  ["ID", "id"],
  ["Email consent", "emailConsent"],
  ["consent_at", "consentAt"],
  ["Consent text", "consentText"],
  ["Language", "language"],
];

describe("a header", () => {
  it.each(headers)("stands for the same on the command line and in the console: %s", (header, field) => {
    expect(columnsOf(["E-Mail", header], lenient)).toEqual(["email", field]);
    expect(csvFile(`E-Mail,${header}\n`).columns).toEqual(["email", field]);
  });

  it("of metadata is a key, in which each character counts", () => {
    const expected = ["email", { metadata: "Shoe Size.EU" }, { metadata: "=1" }];
    const given = ["email", "Metadata.Shoe Size.EU", "metadata.=1"];
    expect(columnsOf(given, lenient)).toEqual(expected);
    expect(csvFile(`${given.join(";")}\n`).columns).toEqual(expected);
  });

  it("that nobody knows is refused on the command line, and metadata in the console", () => {
    expect(() => columnsOf(["email", "City"], { ...lenient, ignoreUnknown: false })).toThrow('"City"');
    expect(csvFile("email,City\n").columns).toEqual(["email", { metadata: "City" }]);
  });

  it.each([
    [["name"], "no header stands for the email"],
    [["email", "E-Mail"], "stands for the same"],
    [["email", "name", "first name"], "not both"],
  ])("can't be with the others, and both say so: %j", (given, problem) => {
    expect(() => columnsOf(given, lenient)).toThrow(problem);
    expect(() => csvFile(`${given.join(",")}\n`)).toThrow(problem);
  });

  it("that an import takes is named by its help and its page", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/import.md"), "utf8");
    const { stdout } = await ran(["import", "--help"]);
    for (const column of ["email", "firstName", "lastName", "externalId", "joinedAt", ...cardColumns]) {
      expect(stdout).toContain(column);
      expect(page).toContain(column);
    }
  });

  it("of a card is told to be for the command line, instead of becoming metadata", () => {
    expect(() => csvFile("email,code,stamps\n")).toThrow("loyalty-kit import");
  });
});

it("a workbook is told to be one, instead of a table with odd headers", () => {
  expect(() => csvFile("PK\u0003\u0004\u0014\u0000")).toThrow("save its sheet as CSV");
});

it("what both read files with needs no Node, and no other package", async () => {
  const root = join(import.meta.dirname, "../..");
  const files = ["columns", "delimiter", "records", "cards"];
  const { metafile } = await build({
    stdin: {
      contents: files.map((file) => `export * from "./adapters/csv/${file}.js";`).join("\n"),
      resolveDir: root,
    },
    bundle: true,
    platform: "neutral",
    write: false,
    metafile: true,
    mainFields: [],
  });
  expect(
    Object.keys(metafile.inputs).filter(
      (file) => file !== "<stdin>" && !/^(adapters\/csv|src\/values)\//.test(file),
    ),
  ).toEqual([]);
});

describe("what is wrong with a file", () => {
  it.each([
    [
      { code: "header_twice", headers: ["E-Mail", "Mail"] },
      "„E-Mail“, „Mail“ steht für dasselbe wie eine andere Überschrift",
    ],
    [{ code: "name_and_parts" }, "entweder name oder firstName und lastName, nicht beides"],
    [{ code: "no_email" }, "keine Überschrift steht für die E-Mail"],
    [{ code: "miscounted", fields: 3, columns: 6 }, "hat 3 Felder statt 6"],
    [{ code: "consent_unknown", text: "perhaps" }, "muss subscribed oder unsubscribed sein, nicht „perhaps“"],
  ] as const)("is told in the language of the screen: %o", (fault, told) => {
    expect(german.columnsWrong(fault)).toBe(`Die erste Zeile muss die Spalten nennen: ${told}.`);
    expect(german.rowWrong(fault)).toBe(`Die Zeile ${told}.`);
    expect(german.cellWrong("emailConsent", fault)).toBe(`emailConsent ${told}.`);
    expect(english.rowWrong(fault)).toBe(`It ${faultText(fault)}.`);
  });

  it("of an Excel workbook is that it is one", () => {
    expect(() => csvFile("PK\u0003\u0004")).toThrow(english.workbook);
  });
});
