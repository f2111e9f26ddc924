import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { matchColumns } from "../../adapters/apps/cli/csv/rows.js";
import { parseCsvFile } from "../../adapters/apps/console/browser/customers/csv-file.js";
import { importing as german } from "../../adapters/apps/console/browser/words/de/importing.js";
import { importing as english } from "../../adapters/apps/console/browser/words/en/importing.js";
import { cardColumns } from "../../adapters/apps/csv/columns.js";
import { faultText } from "../../adapters/apps/csv/faults.js";
import { runCommand } from "../cli/run-command.js";

const unknownForm = { encoding: null, delimiter: null };

/** Parses a CSV file as the console does. */
const openCsv = (text: string) => parseCsvFile(Buffer.from(text), unknownForm);

const lenient = { map: new Map(), ignoreUnknown: true };

/** Headers as people write them, each with its field. */
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
  it.each(headers)(
    "maps to the same field on the command line and in the console: %s",
    async (header, field) => {
      expect(matchColumns(["E-Mail", header], lenient)).toEqual(["email", field]);
      expect((await openCsv(`E-Mail,${header}\n`)).columns).toEqual(["email", field]);
    },
  );

  it("for metadata contains the key exactly as written", async () => {
    const expected = ["email", { metadata: "Shoe Size.EU" }, { metadata: "=1" }];
    const headerRow = ["email", "Metadata.Shoe Size.EU", "metadata.=1"];
    expect(matchColumns(headerRow, lenient)).toEqual(expected);
    expect((await openCsv(`${headerRow.join(";")}\n`)).columns).toEqual(expected);
  });

  it("that is unknown is refused on the command line, and becomes metadata in the console", async () => {
    expect(() => matchColumns(["email", "City"], { ...lenient, ignoreUnknown: false })).toThrow('"City"');
    expect((await openCsv("email,City\n")).columns).toEqual(["email", { metadata: "City" }]);
  });

  it.each([
    [["name"], "there is no column for email, phone, or externalId"],
    [["email", "E-Mail"], "has the same meaning"],
    [["email", "name", "first name"], "not both"],
  ])("row that is invalid is refused by both, with the same message: %j", async (headerRow, problem) => {
    expect(() => matchColumns(headerRow, lenient)).toThrow(problem);
    await expect(openCsv(`${headerRow.join(",")}\n`)).rejects.toThrow(problem);
  });

  it("that an import accepts is named in its help and its documentation", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/import.md"), "utf8");
    const { stdout } = await runCommand(["import", "--help"]);
    for (const column of ["email", "firstName", "lastName", "externalId", "joinedAt", ...cardColumns]) {
      expect(stdout).toContain(column);
      expect(page).toContain(column);
    }
  });

  it("for a card is refused with a hint to the command line, instead of becoming metadata", async () => {
    await expect(openCsv("email,code,stamps\n")).rejects.toThrow("loyalty-kit import");
  });
});

it("a workbook is recognized and refused, instead of being read as a table with odd headers", async () => {
  await expect(openCsv("PK\u0003\u0004\u0014\u0000")).rejects.toThrow("save the sheet as CSV");
  const older = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
  await expect(parseCsvFile(older, unknownForm)).rejects.toThrow("save the sheet as CSV");
});

it("the CSV code of command line and console needs neither Node nor another package", async () => {
  const root = join(import.meta.dirname, "../..");
  const files = ["columns", "reader", "cards"];
  const { metafile } = await build({
    stdin: {
      contents: files.map((file) => `export * from "./adapters/apps/csv/${file}.js";`).join("\n"),
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
      (file) => file !== "<stdin>" && !/^(adapters\/apps\/csv|src\/base\/values)\//.test(file),
    ),
  ).toEqual([]);
});

describe("a fault in a file", () => {
  it.each([
    [
      { code: "header_twice", headers: ["E-Mail", "Mail"] },
      "„E-Mail“, „Mail“ steht für dasselbe wie eine andere Überschrift",
    ],
    [{ code: "name_and_parts" }, "entweder name oder firstName und lastName, nicht beides"],
    [{ code: "no_key" }, "keine Überschrift steht für email, phone oder externalId"],
    [{ code: "miscounted", fields: 3, columns: 6 }, "hat 3 Felder statt 6"],
    [{ code: "consent_unknown", text: "perhaps" }, "muss subscribed oder unsubscribed sein, nicht „perhaps“"],
    [{ code: "rounded_number", text: "4E+12" }, "ist „4E+12“, von der Tabellenkalkulation gerundet"],
    [{ code: "no_time" }, "muss ein Tag wie 2024-05-31"],
  ] as const)("is described in the language of the screen: %o", (fault, message) => {
    expect(german.fileWrong(fault)).toContain(`Die Datei kann nicht importiert werden: ${message}`);
    expect(german.rowWrong(fault)).toContain(`Die Zeile ${message}`);
    expect(german.cellWrong("emailConsent", fault)).toContain(`emailConsent ${message}`);
    expect(english.rowWrong(fault)).toBe(`It ${faultText(fault)}.`);
  });
});
