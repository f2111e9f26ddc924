import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { expect, it, onTestFinished, vi } from "vitest";
import { open } from "./open-storage.js";

it("a check and a copy hide limit values from the query planner, which would otherwise plan again at each run", async () => {
  const storage = await open();
  await new LoyaltyService({ storage }).organization("acme").tags.create({ name: "VIP" });
  const target = await open();
  const prepare = vi.spyOn(Database.prototype, "prepare");
  onTestFinished(() => prepare.mockRestore());
  await checkStorage(storage);
  await copyStorage(storage, target);
  const limits = prepare.mock.calls.flatMap(([statement]) => statement.match(/\blimit \W*\?/g) ?? []);
  expect(limits.length).toBeGreaterThan(3);
  expect(new Set(limits)).toEqual(new Set(["limit +?"]));
});
