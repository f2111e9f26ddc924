import { LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { defineKind, type ExportKind } from "../../src/exports/export-kind.js";
import { type ExportedFile, writeKindFiles } from "../../src/exports/kind-files.js";
import { readLedgerEntries } from "../../src/exports/ledgers.js";
import { createCallContext, Tenant } from "../../src/kernel/tenant.js";
import { openAcme } from "../kit/acme.js";
import { recordCalls } from "../kit/intercepted.js";
import { archiveIn, unzipped } from "./unzipped.js";

const tenantOf = (loyalty: LoyaltyService) =>
  new Tenant(Reflect.get(loyalty, "engine"), "acme", "all", createCallContext());

/** Batches of numbers as rows. */
const counting = (...batches: readonly (readonly number[])[]): ExportKind =>
  defineKind({
    ...{ name: "numbers", says: "numbers", tables: [], format: "csv" },
    schema: z.object({ at: z.int() }),
    async *rows() {
      for (const batch of batches) yield batch.map((at) => ({ at }));
    },
  });

async function written(of: ExportKind, mostRows?: number) {
  const { loyalty } = openAcme();
  const told: ExportedFile[] = [];
  const texts: string[] = [];
  for await (const { name, content } of writeKindFiles(
    of,
    tenantOf(loyalty),
    (file) => told.push(file),
    mostRows,
  )) {
    texts.push(
      `${name}: ${(await archiveIn(content)).toString().replaceAll("\r\n", " ").replace("\uFEFF", "")}`,
    );
  }
  return { told, texts };
}

it("more rows than a spreadsheet opens go on in another file, with headers of its own", async () => {
  expect(await written(counting([1, 2], [3], [4, 5], [6]), 3)).toEqual({
    told: [
      { name: "numbers.csv", rows: 3 },
      { name: "numbers-2.csv", rows: 3 },
    ],
    texts: ["numbers.csv: at 1 2 3 ", "numbers-2.csv: at 4 5 6 "],
  });
});

it("as many rows as a file may have make no empty one behind it", async () => {
  expect((await written(counting([1, 2], [3]), 3)).told).toEqual([{ name: "numbers.csv", rows: 3 }]);
  expect((await written(counting(), 3)).told).toEqual([{ name: "numbers.csv", rows: 0 }]);
});

/** A card with so many entries in its ledger. */
async function cardWith(acme: Organization, entries: number): Promise<string> {
  const { id: card } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const user = await acme.users.create({ email: `with-${entries}@example.com` });
  const pass = await acme.passes.create(card, { userId: user.id });
  for (let entry = 0; entry < entries; entry += 1) await acme.stamps.add(pass.id);
  return pass.id;
}

it("a ledger longer than what is read at once has each entry once, also while stamps are added", async () => {
  const { loyalty, acme } = openAcme();
  const lengths = [0, 1, 400, 2_300, 7, 499];
  const passes: string[] = [];
  for (const length of lengths) passes.push(await cardWith(acme, length));
  const read = new Map<string, number[]>();
  for await (const entries of readLedgerEntries(tenantOf(loyalty))) {
    expect(entries.length).toBeLessThanOrEqual(1_000);
    for (const { passId, sequence } of entries) read.set(passId, [...(read.get(passId) ?? []), sequence]);
    for (const pass of passes) await acme.stamps.add(pass);
  }
  for (const [at, length] of lengths.entries()) {
    const before = (read.get(passes[at] ?? "") ?? []).filter((sequence) => sequence <= length);
    expect(before, `${length}`).toEqual(Array.from({ length }, (_, entry) => length - entry));
  }
});

it("reads no faster than its bytes are taken, and no more once nobody takes them", async () => {
  const calls: string[] = [];
  const loyalty = new LoyaltyService({ storage: recordCalls(memoryStorage(), calls) });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  await acme.users.import(
    Array.from({ length: 6_000 }, (_, at) => ({ email: `customer-${at}@example.com`, metadata: { at } })),
  );
  const reads = () => calls.filter((call) => call === "snapshot").length;
  const bytes = acme.exports.everything();
  calls.length = 0;
  // The head of the first file, and three batches of customers.
  for (let piece = 0; piece < 4; piece += 1) await bytes.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reads()).toBeGreaterThan(1);
  expect(reads()).toBeLessThan(8);
  await bytes.return();
  const ended = reads();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(reads()).toBe(ended);
});

it("ends when the caller stops waiting", async () => {
  const { loyalty } = openAcme();
  const leaving = new AbortController();
  const acme = loyalty.organization("acme", { signal: leaving.signal });
  await acme.users.create({ email: "ada@example.com" });
  const bytes = acme.exports.everything();
  await bytes.next();
  leaving.abort(new Error("gone"));
  await expect(archiveIn(bytes)).rejects.toThrow("gone");
});

it("customers who come and go meanwhile break nothing", async () => {
  const { acme } = openAcme();
  const ids: string[] = [];
  for (let at = 0; at < 1_200; at += 1)
    ids.push((await acme.users.create({ email: `c-${at}@example.com` })).id);
  const pieces: Uint8Array[] = [];
  for await (const piece of acme.exports.everything()) {
    pieces.push(piece);
    const gone = ids.pop();
    if (gone !== undefined && pieces.length < 40) await acme.users.erase(gone);
  }
  const users = unzipped(Buffer.concat(pieces)).get("users.csv")?.toString() ?? "";
  for (const id of ids) expect(users).toContain(id);
});
