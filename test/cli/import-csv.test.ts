import { describe, expect, it } from "vitest";
import { openCustomers } from "./customers.js";

/** Imports a file, and returns the names of the customers. */
async function importNames(content: string | Uint8Array, ...options: string[]): Promise<unknown[]> {
  const acme = openCustomers();
  expect(await acme.import(content, ...options)).toMatchObject({ code: 0, stderr: "" });
  return (await acme.listAll()).map(({ name }) => name);
}

describe.concurrent("a CSV file", () => {
  it.each([
    ["LF", "email,name\na@b.de,Ada\nb@b.de,Bob\n"],
    ["no line ending after the last row", "email,name\na@b.de,Ada\nb@b.de,Bob"],
    ["CRLF", "email,name\r\na@b.de,Ada\r\nb@b.de,Bob\r\n"],
    ["CR", "email,name\ra@b.de,Ada\rb@b.de,Bob\r"],
    ["mixed line endings and blank lines", "email,name\n\na@b.de,Ada\r\n\r\nb@b.de,Bob\n\n"],
    ["a byte-order mark", "\uFEFFemail,name\na@b.de,Ada\nb@b.de,Bob\n"],
    ["a byte-order mark before a quote", '\uFEFF"email","name"\n"a@b.de","Ada"\nb@b.de,Bob\n'],
  ])("may have %s", async (_, content) => {
    expect(await importNames(content)).toEqual(["Ada", "Bob"]);
  });

  it("may have delimiters, quotes and line ends in quoted fields", async () => {
    expect(await importNames('email,name\na@b.de,"Ada ""the first"", Countess\r\nof Lovelace"\n')).toEqual([
      'Ada "the first", Countess\r\nof Lovelace',
    ]);
  });

  it.each([";", "|", "\\t", "€"])("may be separated by %s", async (delimiter) => {
    const content = "email,name\na@b.de,Ada\n".replaceAll(",", delimiter === "\\t" ? "\t" : delimiter);
    expect(await importNames(content, "--delimiter", delimiter)).toEqual(["Ada"]);
  });

  it("preserves every character, wherever a chunk of it ends", async () => {
    const name = "é€😀".repeat(20);
    const content = `email,name\n${Array.from({ length: 1_000 }, (_, at) => `${at}@b.de,${name}${at % 7}\n`).join("")}`;
    expect(Buffer.byteLength(content)).toBeGreaterThan(2 * 65_536);
    expect(await importNames(content)).toEqual(Array.from({ length: 1_000 }, (_, at) => `${name}${at % 7}`));
  });

  it.each([
    [
      "an unclosed quote",
      'a@b.de,Ada\nb@b.de,"Bob\nc@b.de,Cem\n',
      "a quotation mark after line 2 is never closed",
    ],
    [
      "a quoted field longer than 1 MiB",
      `a@b.de,Ada\nb@b.de,"Bob${"\nc@b.de,Cem".repeat(200_000)}`,
      "after line 2 is longer than 1 MiB",
    ],
    ["a quote inside a field", 'a@b.de,Ada\nb@b.de,Bob "B"\n', "line 3 has a quotation mark inside a field"],
    [
      "a quote inside a quoted field",
      'a@b.de,Ada\nb@b.de,"Bob "B""\n',
      "line 3 has a quotation mark inside a field",
    ],
  ])("with %s is imported up to the error", async (_, rows, tells) => {
    const acme = openCustomers();
    const { code, stdout, stderr } = await acme.import(`email,name\n${rows}`);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: "1 rows: 1 created, 0 updated, 0 unchanged, 0 failed\n",
    });
    expect(stderr).toMatch(/^loyalty-kit: \S+\.csv: .+\n$/);
    expect(stderr).toContain(tells);
    expect(await acme.listAll()).toMatchObject([{ name: expect.stringMatching(/^A/) }]);
  });

  it("fails only the records that don't fit its headers", async () => {
    const acme = openCustomers();
    const rows = "a@b.de,Ada\nb@b.de,Bob,1\nc@b.de\nd@b.de,Dan\n";
    const { code, stdout, stderr } = await acme.import(`email,name\n${rows}`);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: "4 rows: 2 created, 0 updated, 0 unchanged, 2 failed\n",
    });
    expect(stderr).toContain("record 2: has 3 fields, not 2\nrecord 3: has 1 fields, not 2\n");
    expect((await acme.listAll()).map(({ name }) => name)).toEqual(["Ada", "Dan"]);
  });

  it("leaves metadata unchanged where its cells are empty", async () => {
    const acme = openCustomers();
    await acme.import("email,metadata.city,metadata.plan\na@b.de,K\u00F6ln,gold\n");
    await acme.import("email,metadata.city,metadata.plan,metadata.pet\na@b.de,Bonn,,cat\n");
    expect(await acme.listAll()).toMatchObject([{ metadata: { city: "Bonn", plan: "gold", pet: "cat" } }]);
  });

  it.each([
    ["UTF-8", Buffer.from("email,name\na@b.de,J\u00FCrgen \u20AC\n")],
    ["Windows-1252", Buffer.from("email,name\na@b.de,J\u00FCrgen \u0080\n", "latin1")],
    [
      "UTF-16 with a byte-order mark",
      Buffer.from("\uFEFFemail,name\na@b.de,J\u00FCrgen \u20AC\n", "utf16le"),
    ],
    ["UTF-16 without a byte-order mark", Buffer.from("email,name\na@b.de,J\u00FCrgen \u20AC\n", "utf16le")],
    ["big-endian UTF-16", Buffer.from("\uFEFFemail,name\na@b.de,J\u00FCrgen \u20AC\n", "utf16le").swap16()],
  ])("in %s is recognized by its bytes", async (_, content) => {
    expect(await importNames(content)).toEqual(["J\u00FCrgen \u20AC"]);
  });

  it("is read in the specified encoding", async () => {
    const content = Buffer.from("email,name\na@b.de,\u00C3\u00BC\n", "latin1");
    expect(await importNames(content, "--encoding", "windows-1252")).toEqual(["\u00C3\u00BC"]);
    expect(await importNames(content)).toEqual(["\u00FC"]);
  });

  it.each([
    ["truncated UTF-8", Buffer.from("email,name\na@b.de,Ad\u00E9").subarray(0, -1)],
    [
      "UTF-8 with an invalid byte",
      Buffer.concat([Buffer.from("email,name\na@b.de,\u00E9\u00E9"), Buffer.from([0xff])]),
    ],
  ])("in %s is refused", async (_, content) => {
    const acme = openCustomers();
    const { code, stderr } = await acme.import(content);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^loyalty-kit: \S+\.csv: .+ is not UTF-8; save the file as UTF-8\n$/);
  });

  it.each([
    ["semicolons", "email;name\na@b.de;Ada, Countess\n"],
    ["tabs", "email\tname\na@b.de\tAda, Countess\n"],
    ["vertical bars, after blank lines", "\n\nemail|name\na@b.de|Ada, Countess\n"],
    ["the character that Excel's first line names", "sep=#\r\nemail#name\r\na@b.de#Ada, Countess\r\n"],
    ["semicolons, with commas in a quoted header", '"email";name;"metadata.a,b,c"\na@b.de;Ada, Countess;1\n'],
  ])("separated by %s needs no --delimiter", async (_, content) => {
    expect(await importNames(content)).toEqual(["Ada, Countess"]);
  });

  it("may have first and last names in separate columns", async () => {
    const content = "email,Last Name,first_name\na@b.de, Lovelace,Ada \nb@b.de,,Bob\nc@b.de,Cem,\nd@b.de,,\n";
    expect(await importNames(content)).toEqual(["Ada Lovelace", "Bob", "Cem", null]);
  });

  it("may separate tags by a specified separator", async () => {
    const acme = openCustomers();
    await acme.import('email,tags\na@b.de,"VIP, Early bird"\n', "--tag-separator", ",", "--create-tags");
    expect(await acme.listAll()).toMatchObject([{ tags: ["vip", "early-bird"] }]);
  });

  it("in the code page of another language is refused, and read once --encoding specifies it", async () => {
    const content = Buffer.from("email,name\na@b.de,\u00A3ukasz\n", "latin1");
    const acme = openCustomers();
    expect(await acme.import(content)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^loyalty-kit: \S+\.csv: the encoding couldn't be detected: "Łukasz" in windows-1250; specify it with --encoding\n$/,
      ),
    });
    expect(await acme.listAll()).toEqual([]);
    for (const encoding of ["windows-1250", "CP1250"])
      expect(await importNames(content, "--encoding", encoding)).toEqual(["Łukasz"]);
  });

  it("with two likely delimiters is refused, and the error names both", async () => {
    const { code, stdout, stderr } = await openCustomers().import("email,a;email\n");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(
      'the delimiter couldn\'t be detected: it may be "," or ";"; specify it with --delimiter',
    );
  });

  it("may be as a spreadsheet saves it: with extra spaces, empty rows and empty columns", async () => {
    const acme = openCustomers();
    const rows = [
      " E-Mail ;Name;;\uFEFFtags;",
      ";;;;",
      "\u00A0a@b.de ;Ada\u00A0;;VIP\u200B ; ",
      " ; ;;;",
      "b@b.de;\u200B;;;;;",
    ];
    const { code, stdout, stderr } = await acme.import(
      `${rows.join("\r\n")}\r\n`,
      "--create-tags",
      "--map",
      "E-Mail=email",
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\n",
      stderr: "",
    });
    expect(await acme.listAll()).toMatchObject([
      { email: "a@b.de", name: "Ada", tags: ["vip"] },
      { email: "b@b.de", name: null },
    ]);
  });

  it("fails records with text under no header, and with a number that a spreadsheet rounded", async () => {
    const acme = openCustomers();
    const { code, stderr } = await acme.import(
      "email;externalId;\na@b.de;4,00638E+12;\nb@b.de;1;x\nc@b.de;2;\n",
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      'record 1: externalId is "4,00638E+12", a number that a spreadsheet rounded; format the column as text and enter the number again\nrecord 2: has "x" in a column without a header\n',
    );
    expect(await acme.listAll()).toMatchObject([{ email: "c@b.de" }]);
    expect((await acme.import("email;\nb@b.de;x\n", "--ignore-unknown")).code).toBe(0);
  });
});
