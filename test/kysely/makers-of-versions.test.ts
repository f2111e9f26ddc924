import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../src/concurrency/step.js";
import { someAutomation } from "../../src/testing/kit/automation-records.js";
import { newSqlDatabases } from "../kit/sql-database.js";

describe.each(Object.entries(newSqlDatabases))(
  "a version of an automation that was kept without its maker, on %s,",
  (_name, newDatabase) => {
    it("has the maker of the present version after the migration", async () => {
      const { open, execute } = await newDatabase();
      const before = await open();
      await before.transaction(function* (tx) {
        for (const [id, makerId] of Object.entries({ a: "akt_1", b: null })) {
          const automation = someAutomation({ id, version: 2, makerId });
          yield* tx.insertAutomation("acme", automation);
          const { if: filter, after, do: actions, per } = automation;
          const past = { automationId: id, version: 1, if: filter, after, do: actions, per, endedAt: 1 };
          yield* tx.insertPastAutomation("acme", { ...past, makerId: "akt_2" });
        }
      });
      await before.close();
      await execute(`alter table loyalty_automation_versions drop column maker_id;
        delete from loyalty_migrations where version >= 44`);

      const storage = await open();
      const after = new LoyaltyService({ storage });
      onTestFinished(() => after.close());
      const makerOf = async (id: string) => (await run(storage.automationVersion("acme", id, 1)))?.makerId;
      expect([await makerOf("a"), await makerOf("b")]).toEqual(["akt_1", null]);
    });
  },
);
