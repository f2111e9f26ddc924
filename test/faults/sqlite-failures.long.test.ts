import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it, onTestFinished } from "vitest";
import { operations } from "../events/operations.js";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { createScene } from "../events/scene.js";
import { eventsOfOrganization, listStoredEvents } from "../events/stored-events.js";
import { openAcme } from "../kit/acme.js";
import { readPurchaseState, readVisibleState } from "./visible-state.js";

/** Ways for a write to fail inside SQLite, as the body of a trigger. */
const failures = {
  "the commit": { body: "insert into fault_orphans values (1)", message: /FOREIGN KEY constraint failed/ },
  "a statement": { body: "select raise(abort, 'the statement fails')", message: /the statement fails/ },
  "a statement that makes SQLite roll back": {
    body: "select raise(rollback, 'SQLite rolled back')",
    message: /SQLite rolled back/,
  },
};

const makeOrphans = `
  create table fault_parents (id integer primary key);
  create table fault_orphans (parent integer references fault_parents (id) deferrable initially deferred);`;

/** Adds triggers to all tables of the file through another connection. @returns a function that removes them. */
function breakWrites(file: string, body: string): () => void {
  const database = new Database(file);
  onTestFinished(() => void database.close());
  const tables = database
    .prepare<[], { name: string }>(
      "select name from pragma_table_list where type = 'table' and name not like 'sqlite_%'",
    )
    .all();
  expect(tables.length).toBeGreaterThan(5);
  database.exec(makeOrphans);
  const triggers: string[] = [];
  for (const { name } of tables) {
    for (const write of ["insert", "update", "delete"]) {
      const trigger = `fault_${name}_${write}`;
      triggers.push(trigger);
      database.exec(`create trigger ${trigger} after ${write} on ${name} begin ${body}; end`);
    }
  }
  return () => {
    for (const trigger of triggers) database.exec(`drop trigger ${trigger}`);
  };
}

describe.each(Object.entries(failures))("when %s fails in SQLite", (_what, { body, message }) => {
  it.each(Object.entries(operations))(
    "%s changes and emits nothing, and can be done later",
    async (_name, operation) => {
      const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const file = join(directory, "loyalty.db");
      const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
      const { loyalty } = openAcme({ storage });
      const scene = await createScene(loyalty);
      const readState = async () => ({
        ...(await readVisibleState(scene.acme)),
        ...(await readPurchaseState(scene)),
      });
      const before = await readState();
      const storedEvents = await listStoredEvents(scene.acme);
      const recordedEvents = recordEvents(loyalty);
      const repair = breakWrites(file, body);
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(operation(scene)).rejects.toThrow(message);
        expect(recordedEvents).toEqual([]);
        expect(await readState()).toEqual(before);
        expect(await listStoredEvents(scene.acme)).toEqual(storedEvents);
      }
      repair();
      const expected = await operation(scene);
      expect(listTypesAndData(recordedEvents)).toEqual(expected);
      expect(await listStoredEvents(scene.acme)).toEqual([
        ...storedEvents,
        ...eventsOfOrganization("acme", recordedEvents),
      ]);
      expect((await readState()).wrongSegments).toEqual([]);
      expect(await checkStorage(storage, { organizationId: "acme" })).toEqual([]);
    },
  );
});
