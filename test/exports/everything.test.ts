import { createHash } from "node:crypto";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { tables } from "../../adapters/storage/kysely/sql/tables.js";
import { unescapeFormula } from "../../src/base/values/formula-guard.js";
import { excludedTables, listCsvColumns } from "../../src/exports/archive.js";
import { exportKinds } from "../../src/exports/export-kinds.js";

import { openAcme } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { fillOrganization } from "./scene.js";
import { collectArchive, unzip } from "./unzipped.js";

const manifestSchema = z.object({
  object: z.literal("export"),
  organizationId: z.string(),
  begunAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  files: z.array(z.object({ name: z.string(), rows: z.int(), says: z.string() })),
  pictures: z.array(z.string()),
  leftOut: z.array(z.object({ tables: z.array(z.string()), because: z.string() })),
});

const records = z.array(z.record(z.string(), z.string()));

describe("the contents of an export", () => {
  it("are all tables, except those that a list excludes with a reason", () => {
    const exportedTables = [...exportKinds.flatMap((kind) => kind.tables), "pictures"];
    const excludedNames = excludedTables.flatMap((each) => each.tables);
    const all = Object.values(tables).map(({ record }) => record.name);
    expect([...exportedTables, ...excludedNames].sort()).toEqual([...all].sort());
    expect(excludedTables.every(({ because }) => because.length > 10)).toBe(true);
  });

  it("have a unique name for each kind", () => {
    expect(new Set(exportKinds.map(({ name }) => name)).size).toBe(exportKinds.length);
  });
});

describe.each(everyAdapter)("an export on $name", ({ open }) => {
  let scene: Awaited<ReturnType<typeof fillOrganization>>;
  let files: Map<string, Buffer>;
  let manifest: z.output<typeof manifestSchema>;

  beforeAll(async () => {
    scene = await fillOrganization(await open());
    await scene.loyalty.organization("globex").users.create({ email: "of-another@example.com" });
    files = unzip(await collectArchive(scene.acme.exports.everything()));
    manifest = manifestSchema.parse(JSON.parse(String(files.get("manifest.json"))));
  });

  afterAll(() => scene.loyalty.close());

  const readText = (name: string) => files.get(name)?.toString() ?? "";
  const readLines = (name: string): unknown[] =>
    readText(`${name}.ndjson`)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const readTable = (name: string): Record<string, string>[] =>
    records
      .parse(parse(readText(`${name}.csv`), { bom: true, columns: true }))
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, unescapeFormula(cell)])),
      );

  it("has a file with rows for each kind, and no other", () => {
    const names = exportKinds.map(({ name, format }) => `${name}.${format}`);
    expect(manifest.files.map(({ name }) => name)).toEqual(names);
    expect(manifest.files.filter(({ rows }) => rows === 0)).toEqual([]);
    expect([...files.keys()]).toEqual([...names, ...manifest.pictures, "manifest.json", "README.txt"]);
  });

  it("states the number of rows of each file", () => {
    for (const { name, rows, says } of manifest.files) {
      const [kind = "", format] = name.split(".");
      expect((format === "csv" ? readTable(kind) : readLines(kind)).length, name).toBe(rows);
      expect(readText("README.txt")).toContain(`${name}: ${rows} ${rows === 1 ? "row" : "rows"}. ${says}`);
    }
  });

  it.each(exportKinds.filter(({ format }) => format === "ndjson"))(
    "has $name as the API shows them",
    (kind) => {
      for (const row of readLines(kind.name)) {
        const parsedRow = kind.schema.safeParse(row);
        expect(parsedRow.error?.issues ?? [], JSON.stringify(row)).toEqual([]);
        // It contains nothing that the API doesn't know.
        expect(parsedRow.data).toEqual(row);
      }
    },
  );

  it("has a CSV column for each field of the API", () => {
    for (const kind of exportKinds) {
      if (kind.format !== "csv") continue;
      const [head = ""] = readText(`${kind.name}.csv`).split("\r\n");
      expect(head, kind.name).toBe(`\uFEFF${listCsvColumns(kind.schema).join(",")}`);
    }
    expect(readText("users.csv").split("\r\n")[0]).toBe(
      "\uFEFFid,email,name,phone,externalId,metadata,createdAt,updatedAt,tags",
    );
    expect(readText("walletpasses.csv")).toContain("stamps.currentStamps,stamps.maxStamps");
  });

  it("has the contents of the API's lists", async () => {
    const { acme } = scene;
    const { content: entries } = await acme.audit.list({ limit: 1_000 });
    expect(readLines("templates")).toEqual(await acme.templates.list());
    expect(readLines("events")).toEqual((await acme.events.list({ limit: 1_000 })).content);
    expect(readLines("messages")).toEqual((await acme.messages.list()).content);
    expect(readLines("automations")).toEqual(await acme.automations.list());
    expect(readLines("webhook-endpoints")).toEqual(await acme.webhooks.list());
    expect(readLines("settings")).toEqual([await acme.settings.get()]);
    expect(readLines("message-settings")).toEqual([await acme.messageSettings.get()]);
    expect(readLines("audit-entries")).toEqual(entries);
    expect(readLines("segments")).toEqual(
      (await acme.segments.list()).map(({ members: _, ...storedSegment }) => storedSegment),
    );
    expect(readTable("user-tags").map(({ slug }) => slug)).toEqual(
      (await acme.tags.list()).map(({ slug }) => slug),
    );
    expect(readTable("people").map(({ email }) => email)).toEqual(["till@example.com"]);
    expect(readTable("api-tokens").map(({ name, scopes }) => [name, scopes])).toEqual([
      ["Till", "user:read"],
    ]);
  });

  it("has customers with all their data", async () => {
    const { acme, ada, pass, pointPass, template } = scene;
    const [first, second] = await collect(acme.users.list());
    expect(readTable("users")).toEqual([
      {
        ...{ id: ada.id, email: "ada@example.com", name: ada.name, phone: "", externalId: "", tags: "vip" },
        ...{ metadata: JSON.stringify(first?.metadata), createdAt: ada.createdAt, updatedAt: ada.updatedAt },
      },
      expect.objectContaining({ id: second?.id, email: "bob@example.com", metadata: "{}", tags: "" }),
    ]);
    expect(readTable("user-tag-assignments")).toEqual([
      { userId: ada.id, tagSlug: "vip", createdAt: ada.createdAt },
    ]);
    expect(readTable("subscriptions")).toMatchObject([
      { userId: ada.id, "email.status": "SUBSCRIBED", "email.text": "News; please" },
    ]);
    const state = await acme.stamps.state(pass.id);
    expect(readTable("walletpasses")).toMatchObject([
      {
        ...{ id: pass.id, userId: ada.id, templateId: template.id, qrCodeValue: pass.qrCodeValue },
        ...{ isPreviewPass: "false", "stamps.currentStamps": String(state.currentStamps) },
        ...{ "stamps.rewardsAvailable": String(state.rewardsAvailable), "points.available": "" },
      },
      {
        ...{ id: pointPass.id, userId: ada.id, "stamps.currentStamps": "" },
        ...{ "points.available": "32", "points.spent": "20", "points.debt": "0" },
      },
    ]);
    const { content: points } = await acme.points.history(pointPass.id);
    expect(readLines("points-history")).toEqual(
      points.map((entry) => ({ walletPassId: pointPass.id, ...entry })),
    );
    const { content: history } = await acme.stamps.history(pass.id);
    expect(
      readTable("stamps-history").map((entry) => [entry.walletPassId, entry.id, entry.delta, entry.note]),
    ).toEqual(history.map(({ id, delta, note }) => [pass.id, id, String(delta), note ?? ""]));
    expect(readTable("devices")).toMatchObject([
      { walletPassId: pass.id, platform: "apple", state: "registered" },
    ]);
    expect(readTable("automation-runs")).toMatchObject([{ userId: ada.id, status: "DONE" }]);
    expect(readLines("message-deliveries")).toEqual((await acme.passes.deliveries(pass.id)).content);
  });

  it("has the daily statistics", async () => {
    const { customers, stamps, installs } = await scene.acme.statistics.get({ days: 1 });
    const [day] = readTable("statistics");
    expect([day?.customers, day?.stamps, day?.["installs.apple"]]).toEqual(
      [customers, stamps, installs.apple].map(String),
    );
    const numbers = { members: "1", entered: "1", left: "1" };
    expect(readTable("segments-statistics")).toMatchObject([{ segmentSlug: "guests", ...numbers }]);
  });

  it("has the pictures byte for byte", async () => {
    const { logo } = await scene.acme.settings.get();
    expect(manifest.pictures).toEqual([`pictures/${logo}.png`]);
    const picture = files.get(`pictures/${logo}.png`) ?? "";
    expect(createHash("sha256").update(picture).digest("hex")).toBe(logo);
  });

  it("has no cell that a spreadsheet would execute", () => {
    expect(readText("users.csv")).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(readText("stamps-history.csv")).toContain("'-1 for free");
    for (const { name } of manifest.files.filter(({ name }) => name.endsWith(".csv"))) {
      expect(readText(name), name).not.toMatch(/(^|[,;\n])"?[=@]/);
    }
  });

  it("has no secret, and nothing of another organization", () => {
    const all = [...files.values()].map(String).join("\n");
    for (const secret of scene.secrets) {
      expect(secret.length).toBeGreaterThan(8);
      expect(all).not.toContain(secret);
    }
    expect(all).not.toMatch(
      /"(?:secret|hash|secretHash|linkHash|pushToken|deviceId)":(?!"[0-9a-f]{64}","createdAt")/,
    );
    expect(all).not.toContain("of-another@example.com");
    expect(all).not.toContain("globex");
  });

  it("is recorded in the audit trail with its actor", async () => {
    const { loyalty, acme } = scene;
    const actor = { kind: "console", subject: "owner@example.com" } as const;
    const caller = loyalty.organization("acme", { scopes: ["organization:export"], actor });
    const secondExport = unzip(await collectArchive(caller.exports.everything()));
    const { content } = await acme.audit.list({ limit: 1_000 });
    expect(content.at(-1)).toMatchObject({ action: "organization.exported", target: null, actor });
    // The export contains its own audit entry.
    expect(String(secondExport.get("audit-entries.ndjson"))).toContain("owner@example.com");
  });

  it("contains nothing of an erased customer", async () => {
    const { acme } = scene;
    const eve = await acme.users.create({ email: "eve-erased@example.com", name: "Eve Erased" });
    await acme.users.erase(eve.id);
    const all = [...unzip(await collectArchive(acme.exports.everything())).values()].map(String).join("\n");
    expect(all).not.toContain("eve-erased");
    expect(all).not.toContain("Eve Erased");
  });
});

describe("an export", () => {
  it("of an empty organization has files with headers only", async () => {
    const { acme } = openAcme();
    const files = unzip(await collectArchive(acme.exports.everything()));
    expect(files.size).toBe(exportKinds.length + 2);
    expect(String(files.get("users.csv")).trimEnd().split("\r\n").length).toBe(1);
    expect(String(files.get("templates.ndjson"))).toBe("");
  });

  it("is refused at its first step without its scope, even with other powerful scopes", async () => {
    const { loyalty, acme } = openAcme();
    const scopes = [
      "user:read",
      "audit:read",
      "settings:write",
      "people:manage",
      "api_token:manage",
    ] as const;
    const otherCaller = loyalty.organization("acme", { scopes });
    expect(await getErrorDetail(otherCaller.exports.everything().next())).toMatchObject({
      code: "access_denied",
    });
    expect((await acme.audit.list()).content).toEqual([]);
  });
});
