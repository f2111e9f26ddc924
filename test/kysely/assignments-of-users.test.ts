import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/checking";
import { describe, expect, it, onTestFinished } from "vitest";
import { newSqlDatabases } from "../kit/sql-database.js";
import { withoutLaterThan38 } from "./later-than-38.js";

const TABLE = "loyalty_user_tag_assignments";

const toTag = `constraint ${TABLE}_tag foreign key (organization_id, tag_ordinal)
  references loyalty_user_tags (organization_id, ordinal) on delete cascade`;

/** The table as it was, with the reference of each row to its tag. */
const table: Readonly<Record<string, string>> = {
  sqlite: `
    alter table ${TABLE} rename to newer;
    create table ${TABLE} (organization_id text not null, user_ordinal integer not null, tag_ordinal integer not null,
      id text not null, created_at integer not null,
      constraint ${TABLE}_key primary key (organization_id, user_ordinal, tag_ordinal),
      constraint ${TABLE}_user foreign key (organization_id, user_ordinal)
        references loyalty_users (organization_id, ordinal) on delete cascade,
      ${toTag}) strict, without rowid;
    insert into ${TABLE} select * from newer;
    drop table newer`,
  postgres: `alter table ${TABLE} add ${toTag}`,
};

const rewindOn = (name: string) => `${withoutLaterThan38(name)} ${table[name]};
  create index ${TABLE}_of_tag on ${TABLE} (organization_id, tag_ordinal, user_ordinal);
  delete from loyalty_migrations where version >= 37`;

describe.each(Object.entries(newSqlDatabases))(
  "assignments of the version before they were found by their users alone, on %s,",
  (name, newDatabase) => {
    it("are the same after the migration, and go with their tag or user", async () => {
      const { open, execute } = await newDatabase();
      const before = new LoyaltyService({ storage: await open() });
      const [ada, bob] = await customers(before);
      const shown = await shownOf(before);
      expect(shown.vip).toEqual([ada, bob]);
      await before.close();
      await execute(rewindOn(name));

      const storage = await open();
      const after = new LoyaltyService({ storage });
      onTestFinished(() => after.close());
      expect(await shownOf(after)).toEqual(shown);
      await expect(execute(`drop index ${TABLE}_of_tag`)).rejects.toThrow(/_of_tag/);
      const { tags, users } = after.organization("acme");
      await expect(tags.assign(ada, "vip")).rejects.toMatchObject({ code: "user_tag_already_assigned" });
      await tags.delete("vip");
      expect(await tags.ofUser(ada)).toMatchObject([{ slug: "regular" }]);
      await users.delete(ada);
      expect((await shownOf(after)).regular).toEqual([bob]);
      expect(await countIn(storage)).toBe(1);
      expect(await checkStorage(storage)).toEqual([]);
    });
  },
);

async function customers(loyalty: LoyaltyService): Promise<[string, string]> {
  const { tags, users } = loyalty.organization("acme");
  for (const name of ["VIP", "Regular"]) await tags.create({ name });
  const [ada, bob] = [
    await users.create({ email: "ada@example.com" }),
    await users.create({ email: "bob@example.com" }),
  ];
  for (const { id } of [bob, ada]) {
    for (const slug of ["vip", "regular"]) await tags.assign(id, slug);
  }
  return [ada.id, bob.id];
}

/** The holders of each tag, oldest first. */
async function shownOf(loyalty: LoyaltyService): Promise<Record<string, string[]>> {
  const { tags } = loyalty.organization("acme");
  const shown: Record<string, string[]> = {};
  for (const { slug } of await tags.list()) {
    shown[slug] = [];
    for await (const { id } of tags.users(slug)) shown[slug].push(id);
  }
  return shown;
}

async function countIn(storage: StorageAdapter): Promise<number> {
  const slugs = await storage.transaction((tx) => tx.slugsOfUsers("acme", [0, 1, 2]));
  return [...slugs.values()].flat().length;
}
