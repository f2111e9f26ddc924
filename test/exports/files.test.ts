import { LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { type ExportedFile, writeKindFiles } from "../../src/exports/archive.js";
import { defineKind, type ExportKind } from "../../src/exports/export-kind.js";
import { readLedgerEntries } from "../../src/exports/user-export-kinds.js";
import { createCallContext, Tenant } from "../../src/kernel/tenant.js";
import { openAcme } from "../kit/acme.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { collectArchive, unzip } from "./unzipped.js";

const createTenant = (loyalty: LoyaltyService) =>
  new Tenant(Reflect.get(loyalty, "engine"), "acme", "all", createCallContext());

/** Creates an export kind with these batches of numbers as rows. */
const createCountedKind = (...batches: readonly (readonly number[])[]): ExportKind =>
  defineKind({
    ...{ name: "numbers", description: "numbers", tables: [], format: "csv" },
    schema: z.object({ at: z.int() }),
    async *readRows() {
      for (const batch of batches) yield batch.map((at) => ({ at }));
    },
  });

async function writeKind(kind: ExportKind, mostRows?: number) {
  const { loyalty } = openAcme();
  const exportedFiles: ExportedFile[] = [];
  const texts: string[] = [];
  for await (const { name, content } of writeKindFiles(
    kind,
    createTenant(loyalty),
    (file) => exportedFiles.push(file),
    mostRows,
  )) {
    texts.push(
      `${name}: ${(await collectArchive(content)).toString().replaceAll("\r\n", " ").replace("\uFEFF", "")}`,
    );
  }
  return { exportedFiles, texts };
}

it("rows beyond a spreadsheet's limit go to another file with its own headers", async () => {
  expect(await writeKind(createCountedKind([1, 2], [3], [4, 5], [6]), 3)).toEqual({
    exportedFiles: [
      { name: "numbers.csv", rows: 3 },
      { name: "numbers-2.csv", rows: 3 },
    ],
    texts: ["numbers.csv: at 1 2 3 ", "numbers-2.csv: at 4 5 6 "],
  });
});

it("a file with exactly the maximum number of rows isn't followed by an empty one", async () => {
  expect((await writeKind(createCountedKind([1, 2], [3]), 3)).exportedFiles).toEqual([
    { name: "numbers.csv", rows: 3 },
  ]);
  expect((await writeKind(createCountedKind(), 3)).exportedFiles).toEqual([{ name: "numbers.csv", rows: 0 }]);
});

/** Creates a card with this many entries in its ledger. */
async function createCardWithEntries(acme: Organization, entries: number): Promise<string> {
  const { id: card } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const user = await acme.users.create({ email: `with-${entries}@example.com` });
  const pass = await acme.passes.create(card, { userId: user.id });
  for (let entry = 0; entry < entries; entry += 1) await acme.stamps.add(pass.id);
  return pass.id;
}

it("a ledger longer than one batch is read with each entry once, even while stamps are added", async () => {
  const { loyalty, acme } = openAcme();
  const lengths = [0, 1, 400, 2_300, 7, 499];
  const passes: string[] = [];
  for (const length of lengths) passes.push(await createCardWithEntries(acme, length));
  const readCounts = new Map<string, number[]>();
  for await (const entries of readLedgerEntries(createTenant(loyalty))) {
    expect(entries.length).toBeLessThanOrEqual(1_000);
    for (const { passId, sequence } of entries)
      readCounts.set(passId, [...(readCounts.get(passId) ?? []), sequence]);
    for (const pass of passes) await acme.stamps.add(pass);
  }
  for (const [at, length] of lengths.entries()) {
    const before = (readCounts.get(passes[at] ?? "") ?? []).filter((sequence) => sequence <= length);
    expect(before, `${length}`).toEqual(Array.from({ length }, (_, entry) => length - entry));
  }
});

it("an export reads no faster than its bytes are consumed, and stops when its consumer does", async () => {
  const calls: string[] = [];
  const loyalty = new LoyaltyService({ storage: recordCalls(memoryStorage(), calls) });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  await acme.users.import(
    Array.from({ length: 6_000 }, (_, at) => ({ email: `customer-${at}@example.com`, metadata: { at } })),
  );
  const countSnapshots = () => calls.filter((call) => call === "snapshot").length;
  const bytes = acme.exports.everything();
  calls.length = 0;
  // The header of the first file, and three batches of customers.
  for (let piece = 0; piece < 4; piece += 1) await bytes.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(countSnapshots()).toBeGreaterThan(1);
  expect(countSnapshots()).toBeLessThan(8);
  await bytes.return();
  const snapshotCount = countSnapshots();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(countSnapshots()).toBe(snapshotCount);
});

it("an export ends when its caller stops waiting", async () => {
  const { loyalty } = openAcme();
  const abortController = new AbortController();
  const acme = loyalty.organization("acme", { signal: abortController.signal });
  await acme.users.create({ email: "ada@example.com" });
  const bytes = acme.exports.everything();
  await bytes.next();
  abortController.abort(new Error("gone"));
  await expect(collectArchive(bytes)).rejects.toThrow("gone");
});

it("erasing customers during an export breaks nothing", async () => {
  const { acme } = openAcme();
  const ids: string[] = [];
  for (let at = 0; at < 1_200; at += 1)
    ids.push((await acme.users.create({ email: `c-${at}@example.com` })).id);
  const pieces: Uint8Array[] = [];
  for await (const piece of acme.exports.everything()) {
    pieces.push(piece);
    const deletedId = ids.pop();
    if (deletedId !== undefined && pieces.length < 40) await acme.users.erase(deletedId);
  }
  const users = unzip(Buffer.concat(pieces)).get("users.csv")?.toString() ?? "";
  for (const id of ids) expect(users).toContain(id);
});
