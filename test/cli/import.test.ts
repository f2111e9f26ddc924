import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

const ada = {
  email: "ada@example.com",
  name: "Ada",
  phone: "+49 30 1",
  externalId: "c-1",
  metadata: {},
  tags: [],
};

describe.concurrent("import", () => {
  it("creates users with tags and metadata, and reports how many", async () => {
    const acme = openCustomers();
    const file = `Email,NAME,phone,External_ID,tags,metadata.City,metadata.a.b
ada@example.com,Ada,+49 30 1,c-1,VIP; Große Runde ;,Berlin,
bob@example.com,,,,,,x
`;
    expect(await acme.import(file, "--create-tags")).toEqual({
      code: 0,
      stdout: "2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\n",
      stderr: "",
    });
    expect(await acme.listAll()).toEqual([
      { ...ada, metadata: { City: "Berlin" }, tags: ["vip", "grosse-runde"] },
      {
        email: "bob@example.com",
        name: null,
        phone: null,
        externalId: null,
        metadata: { "a.b": "x" },
        tags: [],
      },
    ]);
  });

  it("updates existing users, and ignores empty cells", async () => {
    const acme = openCustomers();
    await acme.import("email,name,phone,externalId\nada@example.com,Ada,+49 30 1,c-1\n");
    const { stdout } = await acme.import("externalId,email,name,phone\nc-1,lovelace@example.com,,2\n");
    expect(stdout).toBe("1 rows: 0 created, 1 updated, 0 unchanged, 0 failed\n");
    expect(await acme.listAll()).toEqual([{ ...ada, email: "lovelace@example.com", phone: "2" }]);
  });

  it("reports every row that fails, imports the others, and exits with 1", async () => {
    const acme = openCustomers();
    const file =
      "email,phone,tags\nnobody,1,\nada@example.com,1,none\n\nbob@example.com,1,\nnobody,\u0085,\n";
    expect(await acme.import(file)).toEqual({
      code: 1,
      stdout: "4 rows: 1 created, 0 updated, 0 unchanged, 3 failed\n",
      stderr: `record 1: email must be a valid email address
record 2: tags has unknown tags: none
record 4: email must be a valid email address
loyalty-kit: some rows failed
`,
    });
    expect(await acme.listAll()).toMatchObject([{ email: "bob@example.com" }]);
  });

  it("summarizes records with the same problem after the first twenty", async () => {
    const acme = openCustomers();
    const { stderr } = await acme.import(`email\n${"nobody\n".repeat(1_000)}`);
    expect(stderr.split("\n")).toHaveLength(20 + 3);
    expect(stderr).toContain("980 more records: email must be a valid email address\n");
  });

  it("summarizes problems of more than a hundred kinds", async () => {
    const acme = openCustomers();
    const rows = Array.from({ length: 300 }, (_, at) => `${at}@example.com,tag${at}\n`);
    const { stderr } = await acme.import(`email,tags\n${rows.join("")}`);
    expect(stderr.split("\n")).toHaveLength(100 + 3);
    expect(stderr).toContain("record 100: tags has unknown tags: tag99\n200 other records\n");
  });

  it("reports in a dry run what would happen, and writes nothing", async () => {
    const acme = openCustomers();
    const file = "email,name,tags\nada@example.com,Ada,VIP\nADA@example.com,,vip\nnobody,,\n";
    const options = ["--create-tags", "--dry-run"];
    await acme.import("email\nbob@example.com\n");
    const before = await acme.listAll();
    expect(await acme.import(file, ...options)).toEqual({
      code: 1,
      stdout: "3 rows: 1 created, 1 updated, 0 unchanged, 1 failed\n",
      stderr: `record 3: email must be a valid email address
dry run: nothing was written
loyalty-kit: some rows failed
`,
    });
    expect(await acme.listAll()).toEqual(before);
    expect((await acme.import(file, "--create-tags")).stdout).toBe(
      "3 rows: 1 created, 1 updated, 0 unchanged, 1 failed\n",
    );
  });

  it.each([[], ["--dry-run"]])(
    "refuses a missing database in the same words, with %j",
    async (...options) => {
      const folder = createEmptyFolder();
      const [file, database] = [join(folder, "customers.csv"), join(folder, "loyalty.db")];
      writeFileSync(file, "email\nada@example.com\n");
      const databaseArgs = ["--database", database, "--organization", "acme"];
      expect(await runCommand(["import", file, ...databaseArgs, ...options])).toEqual({
        code: 1,
        stdout: "",
        stderr: `loyalty-kit: database ${database} doesn't exist; create it with "loyalty-kit migrate --database ${database}"\n`,
      });
      expect(readdirSync(folder)).toEqual(["customers.csv"]);
    },
  );

  it("maps headers to fields with --map", async () => {
    const acme = openCustomers();
    const file = "E-Mail=Adresse,Ort,name\nada@example.com,Berlin,Ada\n";
    const options = [
      "--map",
      "E-Mail=Adresse=email",
      "--map",
      "Ort=metadata.city",
      "--map",
      "name=externalId",
    ];
    expect(await acme.import(file, ...options)).toMatchObject({ code: 0 });
    expect(await acme.listAll()).toMatchObject([
      { email: "ada@example.com", name: null, externalId: "Ada", metadata: { city: "Berlin" } },
    ]);
  });

  it("ignores unknown headers only with --ignore-unknown", async () => {
    const acme = openCustomers();
    const file = 'email,Shoe size,"a\nb"\nada@example.com,39,x\n';
    expect(await acme.import(file)).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'loyalty-kit: unknown headers: "Shoe size", "a\\nb"; map each one with --map HEADER=FIELD, or use --ignore-unknown (see import --help for the list of fields)\n',
    });
    expect(await acme.import(file, "--ignore-unknown")).toMatchObject({ code: 0 });
    expect(await acme.listAll()).toMatchObject([{ email: "ada@example.com", metadata: {} }]);
  });

  it.each([
    { headers: "name", tells: "there is no column for email, phone, or externalId" },
    { headers: "email,E_mail", tells: 'another header already has the same meaning as "E_mail"' },
    { headers: "email,metadata.a,metadata.a", tells: 'has the same meaning as "metadata.a"' },
    { headers: "email/name", tells: '"email/name"' },
    { headers: "email,name,firstName", tells: "firstName and lastName, but not both" },
    { headers: "email", options: ["--encoding", "ebcdic"], tells: "--encoding" },
    { headers: "email", options: ["--tag-separator", ""], tells: "--tag-separator" },
    {
      headers: "email",
      options: ["--map", "Mail=email"],
      tells: `no such header: "Mail"; the file's headers are "email"`,
    },
    { headers: "email", options: ["--map", "Mail=shoe"], tells: "--map" },
    { headers: "email", options: ["--map", "email"], tells: "--map" },
    { headers: "email", options: ["--delimiter", ""], tells: "--delimiter" },
    { headers: "email", options: ["--delimiter", ";;"], tells: "--delimiter" },
    { headers: "email", options: ["--delimiter", '"'], tells: "--delimiter" },
  ])(
    "rejects the headers $headers with $options in one line, with exit code 2",
    async ({ headers, options = [], tells }) => {
      const { code, stdout, stderr } = await openCustomers().import(`${headers}\n`, ...options);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^loyalty-kit: .+\n$/);
      expect(stderr).toContain(tells);
    },
  );

  it("refuses a file that it can't import, in one line, and creates no database", async () => {
    const folder = createEmptyFolder();
    const databaseArgs = ["--database", join(folder, "loyalty.db"), "--organization", "acme"];
    const empty = join(folder, "empty.csv");
    writeFileSync(empty, "\n\n");
    const workbook = join(folder, "customers.xlsx");
    writeFileSync(workbook, "PK\u0003\u0004\u0014\u0000\u0006\u0000");
    for (const [file, tells] of [
      [join(folder, "none.csv"), "no such file"],
      [folder, "directory"],
      [empty, "has no header row"],
      [workbook, "customers.xlsx: the file is a workbook; save the sheet as CSV and import the CSV file"],
    ] as const) {
      const { code, stdout, stderr } = await runCommand(["import", file, ...databaseArgs]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^loyalty-kit: .+\n$/);
      expect(stderr).toContain(file);
      expect(stderr).toContain(tells);
    }
    expect(existsSync(join(folder, "loyalty.db"))).toBe(false);
  });
});
