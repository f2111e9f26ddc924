import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { addTemplate, fencedDatabases, NEXT, PRESENT } from "./fenced-databases.js";
import { NEXT_INDEX } from "./next-release.js";

const migrating = { mayMigrate: true };
const unavailable = { code: "storage_unavailable" };

describe.each(fencedDatabases)("a migration by the next release on $name", ({ open }) => {
  it("brings the tables to its version once, and keeps the data", async () => {
    const { storage, execute, openByNextRelease: openedByNext } = await open();
    await addTemplate(storage);
    await expect(execute("select place from loyalty_templates")).rejects.toThrow("place");
    expect(await openedByNext(migrating)).toEqual({ from: PRESENT, to: NEXT });
    expect(await openedByNext(migrating)).toEqual({ from: NEXT, to: NEXT });
    await execute("select place from loyalty_templates");
    await execute(`delete from loyalty_migrations where version = ${NEXT}`);
    expect(await runStep(storage.reader("acme").listTemplates())).toHaveLength(1);
  });

  it("shuts out processes of this release, which also refuses to open the tables, naming both versions", async () => {
    const { storage, openByNextRelease: openedByNext, openAgain } = await open();
    await openedByNext(migrating);
    await expect(addTemplate(storage)).rejects.toMatchObject(unavailable);
    await expect(openAgain()).rejects.toThrow(new RegExp(`version ${NEXT}\\b.* up to ${PRESENT}\\b`));
  });

  it("is applied in full or not at all", async () => {
    const { storage, execute, openByNextRelease: openedByNext } = await open();
    await execute(`create table others (id text); create index ${NEXT_INDEX} on others (id)`);
    await expect(openedByNext(migrating)).rejects.toThrow(NEXT_INDEX);
    await expect(execute("select place from loyalty_templates")).rejects.toThrow("place");
    await addTemplate(storage);
    await execute("drop table others");
    expect(await openedByNext(migrating)).toEqual({ from: PRESENT, to: NEXT });
  });

  it("is run by only one of several processes that begin it at the same time", async () => {
    const { openByNextRelease: openedByNext } = await open();
    const migrations = await Promise.all([1, 2, 3].map(() => openedByNext(migrating)));
    expect(migrations.map(({ from }) => from).sort()).toEqual([PRESENT, NEXT, NEXT]);
  });

  it("isn't run without `mayMigrate`, and the older tables are refused", async () => {
    const { storage, openByNextRelease: openedByNext } = await open();
    await expect(openedByNext({ mayMigrate: false })).rejects.toMatchObject({
      name: "NotMigratedError",
      version: PRESENT,
      needed: NEXT,
    });
    await addTemplate(storage);
    await openedByNext(migrating);
    await openedByNext({ mayMigrate: false });
  });
});
