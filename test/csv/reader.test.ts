import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHeader } from "../../adapters/apps/csv/columns.js";
import { encodings } from "../../adapters/apps/csv/encodings.js";
import type { CsvFault } from "../../adapters/apps/csv/faults.js";
import { type CsvForm, csvRecords } from "../../adapters/apps/csv/reader.js";
import { WrongFile } from "../../adapters/apps/csv/records.js";
import { collect } from "../kit/collect.js";
import { filledTexts } from "../properties/arbitraries.js";
import { runs } from "../properties/runs.js";
import { encodeText, listLetters } from "./code-pages.js";

const found: CsvForm = { encoding: null, delimiter: null };

async function* eachItem<Item>(items: Iterable<Item>) {
  yield* items;
}

async function readRecords(chunks: Iterable<Uint8Array>, form = found) {
  return collect(csvRecords(eachItem(chunks), form, parseHeader));
}

/** Returns the cells of a file, or the reason why it can't be read. */
async function readCells(
  bytes: Uint8Array,
  form = found,
): Promise<readonly (readonly string[])[] | CsvFault> {
  try {
    return (await readRecords([bytes], form)).map(({ cells }) => cells);
  } catch (error) {
    if (error instanceof WrongFile) return error.fault;
    throw error;
  }
}

/** Splits the bytes at these positions. */
function splitBytes(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const ends = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, at) => bytes.slice(ends[at - 1] ?? 0, end));
}

const texts = fc.oneof(
  fc.array(fc.constantFrom(..."\"',;|\t\r\n aé"), { maxLength: 6 }).map((parts) => parts.join("")),
  filledTexts(12),
);
const rows = fc.array(fc.tuple(texts, texts), { minLength: 1, maxLength: 5 });
const cutPositions = fc.array(fc.nat(500), { maxLength: 6 });

describe("a file in UTF-8", () => {
  it("has the cells that were written, wherever its chunks end and whatever its line endings are", async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(",", ";", "\t", "|"),
        fc.constantFrom("\n", "\r\n", "\r"),
        cutPositions,
        async (rowsOfCells, delimiter, record_delimiter, ends) => {
          const written = [
            ["email", "name", "phone"],
            ...rowsOfCells.map((cells, at) => [`${at}@b.de`, ...cells]),
          ];
          const text = stringify(written, { delimiter, record_delimiter, quoted: true });
          const records = await readRecords(splitBytes(Buffer.from(text), ends));
          expect(records.map(({ cells }) => cells)).toEqual(written);
          const countLineEnds = (value: string) => value.match(/\r\n|\r|\n/g)?.length ?? 0;
          let line = 0;
          for (const record of records) {
            line += 1 + record.cells.reduce((sum, cell) => sum + countLineEnds(cell), 0);
            expect(record.line).toBe(line);
          }
        },
      ),
      runs(300),
    );
  });

  it("is read as csv-parse reads it, and refused where csv-parse refuses it", async () => {
    const parts = fc.constantFrom(...'ab"é;,,', '""', "\n", "\r\n");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: parts, maxLength: 20 }), async (text) => {
        const form = { encoding: "utf-8", delimiter: "," } as const;
        const ourCells = await readCells(Buffer.from(`email\n${text}`), form);
        let referenceCells: readonly (readonly string[])[] | null;
        try {
          referenceCells = parse(`email\n${text}`, {
            relax_column_count: true,
            record_delimiter: ["\r\n", "\n"],
          });
        } catch {
          referenceCells = null;
        }
        const filledCells = referenceCells?.filter((cells) => cells.some((cell) => cell !== ""));
        expect("code" in ourCells ? undefined : ourCells).toEqual(filledCells);
      }),
      runs(200),
    );
  });

  it("has no records for rows of empty cells, before its headers and after them", async () => {
    const text = ';;\n"";\u00A0; \nemail;name;\n\u200B;;\n a@b.de ;Ada;\n;;;;\n\n';
    expect(await readRecords([Buffer.from(text)])).toEqual([
      { line: 3, cells: ["email", "name", ""] },
      { line: 5, cells: [" a@b.de ", "Ada", ""] },
    ]);
  });
});

/** Headers without quotes. Some contain other delimiters. */
const headers = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom("E-Mail", "name", "Phone", "External ID", "First name"),
    fc.stringMatching(/^metadata\.[a-z]{1,3}([,;|\t][a-z]{1,3}){0,6}$/),
    fc.stringMatching(/^[A-Z][a-z]{2,4}(, [A-Z][a-z]{2,4}){0,4}$/),
  ),
  { minLength: 1, maxLength: 6 },
);

describe("the delimiter", () => {
  it("is detected from the headers or reported as unknown, whatever the headers contain", async () => {
    await fc.assert(
      fc.asyncProperty(headers, fc.constantFrom(",", ";", "\t", "|"), async (all, delimiter) => {
        const distinctHeaders = [...new Set(["E-Mail", ...all])].filter(
          (header) => !header.includes(delimiter),
        );
        const bytes = Buffer.from(
          `${distinctHeaders.join(delimiter)}\n${distinctHeaders.map(() => "x").join(delimiter)}\n`,
        );
        const result = await readCells(bytes);
        if ("code" in result) expect(result.code).toBe("delimiter_unknown");
        else expect(result[0]).toEqual(distinctHeaders);
        expect(await readCells(bytes, { ...found, delimiter })).toMatchObject([distinctHeaders, {}]);
      }),
      runs(500),
    );
  });

  it.each([
    ["email;name;metadata.a,b,c,d\na@b.de;Ada;x\n", 3],
    ["email;metadata.a,metadata.b,metadata.c\na@b.de;x\n", 2],
    ["E-Mail;Nachname, Vorname, Titel\na@b.de;Lovelace, Ada, Dr.\n", 2],
    ["Name, first|email|phone\nAda, A|a@b.de|1\n", 3],
    ["email\na@b.de\n", 1],
    ["sep=,\nemail,metadata.a;email\na@b.de,x\n", 2],
  ])("is detected in %j", async (text, fields) => {
    expect((await readRecords([Buffer.from(text)])).map(({ cells }) => cells.length)).toEqual([
      fields,
      fields,
    ]);
  });

  it("is reported as unknown if two are equally likely", async () => {
    const bytes = Buffer.from("email,a;email\n");
    expect(await readCells(bytes)).toEqual({ code: "delimiter_unknown", delimiters: [",", ";"] });
  });
});

const codePages = encodings.filter((encoding) => /^(windows|macintosh|iso|ibm)/.test(encoding));

/** Words in lower case, upper case or capitalized like names, in letters of a code page and of ASCII. */
const arbitraryWords = (encoding: (typeof encodings)[number]) =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...listLetters(encoding), ..."aeinr"), { minLength: 3, maxLength: 8 }),
      fc.constantFrom("small", "capital", "title"),
    )
    .map(([letters, form]) => {
      const small = letters.join("").toLowerCase();
      if (form === "small") return small;
      return form === "capital" ? small.toUpperCase() : small.replace(/^./u, (first) => first.toUpperCase());
    })
    .filter((word) => encodeText(encoding, word) !== null);

describe("the encoding", () => {
  it.each(codePages)(
    "of %s files is detected or reported as unknown, but never detected wrongly",
    async (encoding) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(arbitraryWords(encoding), { minLength: 1, maxLength: 3 }),
          cutPositions,
          async (words, ends) => {
            const text = `email,name\n${words.map((word, at) => `${at}@b.de,${word}\n`).join("")}`;
            const bytes = encodeText(encoding, text) ?? new Uint8Array();
            // Text that is valid UTF-8 by chance is read as UTF-8.
            fc.pre(!isUtf8(Buffer.from(bytes)));
            const readSecondColumn = async (form: CsvForm) =>
              (await readRecords(splitBytes(bytes, ends), form)).slice(1).map(({ cells }) => cells[1]);
            expect(await readSecondColumn({ ...found, encoding })).toEqual(words);
            const result = await readSecondColumn(found).catch((error: unknown) => {
              if (error instanceof WrongFile) return error.fault.code;
              throw error;
            });
            if (typeof result === "string") expect(result).toMatch(/^encoding_(unknown|wrong)$/);
            else expect(result).toEqual(words);
          },
        ),
        runs(150),
      );
    },
  );

  it.each([
    ["windows-1252", "Müller"],
    ["windows-1252", "GÜNTHER Weiß"],
    ["windows-1252", "René – 5 €"],
    ["windows-1250", "Özil\u00A0"],
  ] as const)(
    "%s needn't be given for %s, which reads the same on other code pages",
    async (encoding, name) => {
      const bytes = encodeText(encoding, `email,name\na@b.de,${name}\n`) ?? new Uint8Array();
      expect(await readCells(bytes)).toEqual([
        ["email", "name"],
        ["a@b.de", name],
      ]);
    },
  );

  it.each([
    ["windows-1250", "Łukasz"],
    ["windows-1250", "Dvořák"],
    ["windows-1251", "Анна"],
    ["windows-1252", "Hélène"],
    ["windows-1253", "Ελένη"],
    ["windows-1254", "Ayşe"],
    ["windows-1255", "דוד"],
    ["windows-1256", "أحمد"],
    ["windows-1257", "Jānis"],
    ["windows-874", "สมชาย"],
    ["macintosh", "Müller"],
    ["macintosh", "MICHÈLE"],
    ["ibm866", "Анна"],
  ] as const)(
    "%s is reported as unknown for %s, with the right reading suggested",
    async (encoding, name) => {
      const bytes = encodeText(encoding, `email,name\na@b.de,${name}\n`) ?? new Uint8Array();
      const result = await readCells(bytes);
      if (!("code" in result)) throw new Error(`${result}`);
      expect(result.code).toBe("encoding_unknown");
      expect(result).toMatchObject({
        readings: expect.arrayContaining([expect.objectContaining({ text: name })]),
      });
      expect(await readCells(bytes, { ...found, encoding })).toMatchObject([{}, ["a@b.de", name]]);
    },
  );

  it("is reported as unknown for multi-byte code pages, and can be given", async () => {
    const files = {
      shift_jis: [0x93, 0x63, 0x92, 0x86],
      gbk: [0xcd, 0xf5, 0xc3, 0xf7],
      "euc-kr": [0xb1, 0xe8],
    } as const;
    const names = { shift_jis: "田中", gbk: "王明", "euc-kr": "김" } as const;
    for (const encoding of ["shift_jis", "gbk", "euc-kr"] as const) {
      const bytes = Buffer.concat([
        Buffer.from("email,name\na@b.de,"),
        Uint8Array.from(files[encoding]),
        Buffer.from("\n"),
      ]);
      expect(await readCells(bytes)).toHaveProperty("code", "encoding_unknown");
      expect(await readCells(bytes, { ...found, encoding })).toMatchObject([{}, ["a@b.de", names[encoding]]]);
    }
  });

  it("is reported as unknown at a late ambiguous word, after the records before it were read", async () => {
    const start = `email,name\n${Array.from({ length: 5_000 }, (_, at) => `${at}@b.de,Müller ${at}\n`).join("")}`;
    const bytes = encodeText("windows-1252", `${start}x@b.de,Søren\n`) ?? new Uint8Array();
    const names: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const { cells } of csvRecords(
        eachItem(splitBytes(bytes, [300, 70_000])),
        found,
        parseHeader,
      ))
        names.push(cells[1]);
    })();
    await expect(reading).rejects.toThrow("the encoding couldn't be detected");
    expect(names.length).toBeGreaterThan(1_000);
    expect(names).not.toContain("Søren");
  });

  it("is refused if it is given but can't be the right one", async () => {
    const bytes = encodeText("windows-1251", "email,name\na@b.de,Ђурађ\n") ?? new Uint8Array();
    for (const encoding of ["utf-8", "windows-1254"] as const)
      expect(await readCells(bytes, { ...found, encoding })).toMatchObject({ code: "encoding_wrong" });
  });
});
