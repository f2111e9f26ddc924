import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { testStorage } from "loyalty-kit/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { createStorage } from "../sqlite/new-storage.js";
import { openWithWriter } from "../sqlite/open-storage.js";
import { addTag, addUsers, assign } from "../sqlite/records.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** The statements that bind no organization, with reasons. */
const exceptions: readonly { readonly statement: RegExp; readonly reason: string }[] = [
  {
    statement: /^(begin|begin immediate|commit|rollback)$/,
    reason: "it touches no rows",
  },
  {
    statement: /^create (virtual table|table|index|unique index) /,
    reason: "it touches no rows",
  },
  { statement: /^analyze |sqlite_stat1/, reason: "it only concerns the query planner" },
  {
    statement: /loyalty_user_words/,
    reason: "each word and each row number of the index begins with its organization's number",
  },
  { statement: /^select (sqlite_version|total_changes)\(\)/, reason: "it touches no rows" },
  { statement: /"?loyalty_migrations"?/, reason: "the version belongs to the whole file" },
  {
    statement: /^select .* from "loyalty_api_tokens" where "hash" in \(select value from json_each\(\?\)\)$/,
    reason: "a presented token doesn't name its organization; its hash is unique across all organizations",
  },
  {
    statement: /^select .* from "loyalty_apps" where "id" = \?$/,
    reason: "a client doesn't name its organization; its id is unique across all organizations",
  },
  {
    statement:
      /^select .* from "loyalty_people" where "email_fold" = \? order by case when "email_proven_at" .* limit \+\?$/,
    reason: "a person who signs in with an email may belong to several organizations",
  },
  {
    statement: /^select .* from "loyalty_people" where "id" = \? order by "organization_id" limit \+\?$/,
    reason: "a passkey names its person, but no organization",
  },
  {
    statement: /^select 1 as "one" from "loyalty_people" limit \+\?$/,
    reason: "a sign-in names no organization",
  },
  {
    statement: /^select .* from "loyalty_grant_tokens" as "token" .* where "token"."hash" = \? limit \+\?$/,
    reason: "a presented token doesn't name its organization, and its app may belong to another one",
  },
  {
    statement:
      /^select .* from "loyalty_grants" as "grant" where "grant"."organization_id" = \? and exists \(select "app"."id" /,
    reason: "the app of a grant may belong to another organization",
  },
  {
    statement: /^select .* from "loyalty_webhook_endpoints" where "disabled_at" is null and "due_at" <= /,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from \(select .* from "loyalty_organizations" as "each" /,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select "due"\."organizationId" from \(select .* from "loyalty_organizations"\) as "due" /,
    reason: "a worker looks for expired points in all organizations",
  },
  {
    statement:
      /^select .* from "loyalty_organizations" as "known" cross join "loyalty_webhook_endpoints" as "endpoint"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_wallet_queues" as "queue" inner join "loyalty_organizations"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_message_queues" as "queue" inner join "loyalty_organizations"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_automation_queues" as "queue" inner join "loyalty_organizations"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_mail_queues" as "queue" inner join "loyalty_organizations"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_mail_queues" where "token" = \? limit/,
    reason: "the link in a mail contains only its token",
  },
  {
    statement: /^select .* from "loyalty_mail_queues" where "organization_id" > /,
    reason: "all queues are scanned to reseal their secrets",
  },
  {
    statement:
      /^select distinct "organization_id" as "organizationId" from "loyalty_tag_removals" order by "organization_id" limit \+\?$/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_segment_followers" where "organization_id" > /,
    reason: "the segments of all organizations are refreshed",
  },
  {
    statement: /^select .* from "loyalty_segment_followers" as "follower" inner join "loyalty_organizations"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_wallet_queues" where "organization_id" > /,
    reason: "all organizations with cards in wallets are notified about a certificate",
  },
  {
    statement: /^select .* from "loyalty_wallet_cards" as "card" where "card"."pass_id" = \? limit/,
    reason: "a wallet identifies a pass only by its id, which is unique",
  },
  {
    statement: /^select .* from "loyalty_wallet_cards" as "card" where "card"."pass_id" > \? (and|order)/,
    reason: "all cards are scanned, to check whether Google still has them or to reseal their secrets",
  },
  {
    statement:
      /^select .* from "loyalty_wallet_devices" as "device" .*where "device"."(device_id|push_token)" = \? and/,
    reason: "a device may have passes of any organization, and doesn't name one",
  },
  {
    statement: /^select "organization_id" from "loyalty_wallet_passes" where "code" = \? limit \+\?$/,
    reason: "a card's link contains only its code",
  },
  {
    statement: /^select "organization_id" from "loyalty_templates" where "id" = \? limit \+\?$/,
    reason: "a poster's link contains only the template's id",
  },
  {
    statement: /^select .* from "loyalty_webhook_endpoints" where \("organization_id", "id"\) > /,
    reason: "all endpoints are scanned to reseal their secrets",
  },
  {
    statement: /^select .* from "loyalty_pictures" where "hash" = \? limit/,
    reason: "pictures are public to anyone who knows their hash",
  },
  {
    statement: /^select "organization_id" from "loyalty_organizations" limit \+\?$/,
    reason: "it checks whether any organization exists",
  },
];

const removals = {
  statement: /"loyalty_tag_removals"/,
  reason: "an organization has few tags whose removal is unfinished",
};

/** The statements that sort their rows, with reasons why there are never many. */
const sorting: readonly { readonly statement: RegExp; readonly reason: string }[] = [
  {
    statement: /from \(select .* limit \+\?\) as "some" order by "value"/,
    reason: "a few thousand users at a time",
  },
  {
    statement:
      /from "loyalty_(user_tags|templates|api_tokens|people|apps|webhook_endpoints|pictures|saved_segments|automations)" where "organization_id" = \?/,
    reason: "an organization has few of them",
  },
  { statement: /from "loyalty_grants" as "grant"/, reason: "there is one grant per installed app and user" },
  {
    statement: /^select "expires_at" as "expiresAt" from "loyalty_grant_tokens"/,
    reason: "a grant has few tokens",
  },
  {
    statement: /from "loyalty_user_tag_assignments" as "assigned" .* "assigned"."user_ordinal" (=|in)/,
    reason: "the tags of some users",
  },
  {
    statement: /from "loyalty_purchases" where .* "user_id" in \(select value from json_each\(\?\)\)/,
    reason: "the purchases of some users",
  },
  {
    statement:
      /from "loyalty_purchase_effects" where .* "purchase_id" in \(select value from json_each\(\?\)\)/,
    reason: "the effects of some purchases",
  },
  { statement: /from "loyalty_purchase_returns"/, reason: "a purchase has few returns" },
  {
    statement: /from "loyalty_wallet_passes" .* "user_ordinal" (in|=)/,
    reason: "the passes of some users",
  },
  {
    statement: /group by ("passes"\."template_id"|"open"\."templateId")/,
    reason: "the points of a thousand passes at a time",
  },
  removals,
];

/** The statements that scan all rows of an organization in a table, with reasons why they are few. */
const walking: readonly { readonly statement: RegExp; readonly reason: string }[] = [
  {
    statement:
      /order by ("position"|"id"( asc| desc)?|"(user_)?ordinal" desc|"(updated|created)_at" \w+, "id" \w+|"email_fold" \w+) limit \+\?/,
    reason: "it stops at its limit, in the order of the index",
  },
  {
    statement:
      /(from|update) "?loyalty_(organizations|wallet_queues|mail_queues|message_queues|automation_queues|segment_followers|settings|message_settings)"? (where|set)/,
    reason: "an organization has one row",
  },
  {
    statement: /max\("end_bytes"\)|max\(slice\) from loyalty_segment_slices/,
    reason: "the largest value of an organization is the last in its index",
  },
  ...sorting.slice(1, 3),
  removals,
  {
    statement:
      /^select count\(\*\) as "total" from "loyalty_(grants|messages|automations|automation_runs|automation_versions|saved_segments)" where/,
    reason: "their number per organization is limited",
  },
  {
    statement: /^delete from "loyalty_cooldowns" where .* limit \+\? offset \?\)$/,
    reason: "their number per organization is limited, and only the index is read",
  },
  {
    statement: /^update "loyalty_webhook_(deliveries|attempts)" set "(custom_body|response)" = /,
    reason: "an erasure is rare, and scans the retained deliveries",
  },
];

/**
 * Tables of SQLite's search, which numbers the organizations of its file. Other databases don't have them.
 */
const ofSearch = /^loyalty_(search_organizations|search_texts|user_words\w*)$/;

/** A query plan step that finds the number of an organization. */
const ofNumber = /^SEARCH loyalty_search_organizations USING .*INDEX /;

/** A query plan step that finds events of one organization, whose places begin with its number. */
const byPlace =
  /^SEARCH (loyalty_events|newest) USING INTEGER PRIMARY KEY \((rowid=\?|rowid>\? AND rowid<\?)\)$/;

const recorded = new Set<string>();
const prepare = vi.spyOn(Database.prototype, "prepare");
let plans: Database.Database;

beforeAll(async () => {
  const file = createTemporaryFile();
  // Creates the tables here. From now on they are copied.
  await (await sqliteStorage(file)).close();
  plans = new Database(file);
});

afterAll(() => plans.close());

// The suite calls every operation of the port, and the spy records each prepared statement.
testStorage({ describe, it }, () => createStorage(createTemporaryFile()));

describe("statements", () => {
  beforeAll(() => {
    for (const [statement] of prepare.mock.calls) recorded.add(statement);
    prepare.mockRestore();
  });

  it("are recorded for every table", () => {
    const usedTables = listScopedStatements().flatMap(findTables);
    expect(new Set(usedTables)).toEqual(new Set(listTableNames()));
  });

  it("bind the organization of each table that they name", () => {
    const unbound = listScopedStatements().filter(
      (statement) => countBindings(statement) < findTables(statement).length,
    );
    expect(unbound).toEqual([]);
  });

  it("find the rows of each table by the organization, and never scan those of other organizations", () => {
    const strays = listScopedStatements().flatMap((statement) =>
      explainStatement(statement)
        .filter(
          (step) =>
            /^(SCAN|SEARCH) (?!(json_each|some|counted|page|places|CONSTANT ROW)\b)/.test(step) &&
            !/\borganization_id=\?/.test(step) &&
            !byPlace.test(step),
        )
        .map((step) => `${step}: ${statement}`),
    );
    expect(strays).toEqual([]);
  });

  it("sort only short lists and scan no table, even in a large file", () => {
    // The planner decides by its hints for each table, which are the same in an empty file.
    const strays = listScopedStatements().flatMap((statement) =>
      explainStatement(statement)
        .filter(
          (step) =>
            (/TEMP B-TREE/.test(step) && !isAmong(sorting, statement)) ||
            (/\(organization_id=\?\)$/.test(step) && !ofNumber.test(step) && !isAmong(walking, statement)),
        )
        .map((step) => `${step}: ${statement}`),
    );
    expect(strays).toEqual([]);
  });

  it.each([...sorting, ...walking.slice(0, 2)])("$statement is short: $reason", ({ statement }) => {
    expect([...recorded].filter((text) => statement.test(text))).not.toEqual([]);
  });

  it.each(exceptions)("$statement is a necessary exception: $reason", ({ statement }) => {
    expect([...recorded].filter((text) => statement.test(text))).not.toEqual([]);
  });

  it("read the default lists of contacts, users and segments in index order", () => {
    const ordered = listScopedStatements().filter((statement) =>
      /order by ("ordinal"|"updated_at" desc, "id" desc|"email_fold"|"assigned"."user_ordinal")/.test(
        statement,
      ),
    );
    expect(ordered.length).toBeGreaterThan(4);
    const sorting = ordered.filter((statement) =>
      explainStatement(statement).some((step) => /TEMP B-TREE FOR ORDER BY/.test(step)),
    );
    expect(sorting).toEqual([]);
  });

  it("hide limit values from the query planner, which would otherwise plan again at each run", () => {
    expect(listScopedStatements().filter((statement) => / limit \?/.test(statement))).toEqual([]);
  });

  it("are prepared only once, even if they run several times", async () => {
    const { storage, writer } = await openWithWriter();
    const [user] = await addUsers(storage, 1);
    const prepare = vi.spyOn(Database.prototype, "prepare");
    for (let time = 0; time < 3; time += 1) {
      await runStep(storage.reader("acme").findUser(user?.id ?? ""));
      await storage.transaction("acme", function* (tx) {
        return yield* assign(tx, 0, yield* addTag(tx, `tag-${time}`));
      });
    }
    const prepared = prepare.mock.calls.map(([statement], at) => [
      prepare.mock.contexts[at] === writer,
      statement,
    ]);
    prepare.mockRestore();
    expect(prepared).not.toEqual([]);
    expect(prepared).toHaveLength(new Set(prepared.map((one) => JSON.stringify(one))).size);
  });
});

describe("tables", () => {
  it("have a planner hint for each of their indexes", () => {
    const indexes = listTableNames().flatMap((table) =>
      plans
        .prepare<[string, string], string>(
          `select iif(list.origin = 'pk' and tbl.wr, tbl.name, list.name)
           from pragma_table_list(?) tbl, pragma_index_list(?) list`,
        )
        .pluck()
        .all(table, table),
    );
    const indexHints = plans.prepare<[], string>("select idx from sqlite_stat1").pluck().all();
    expect(indexes.length).toBeGreaterThan(listTableNames().length);
    expect(indexes.filter((index) => !indexHints.includes(index))).toEqual([]);
  });

  it("have only keys and unique constraints that begin with the organization", () => {
    const keys = listTableNames().flatMap((table) =>
      plans
        .prepare<[string], { name: string; column: string }>(
          `select list.name, info.name as "column" from pragma_index_list(?) list, pragma_index_info(list.name) info
           where list."unique" and info.seqno = 0`,
        )
        .all(table),
    );
    expect(keys.length).toBeGreaterThan(listTableNames().length);
    expect(keys.filter(({ column }) => column !== "organization_id")).toEqual([]);
  });

  it("reference each other by the organization first", () => {
    const references = listTableNames().flatMap((table) =>
      plans
        .prepare<[string], { from: string; to: string }>(
          `select "from", "to" from pragma_foreign_key_list(?) where seq = 0`,
        )
        .all(table),
    );
    expect(references.length).toBeGreaterThan(4);
    for (const { from, to } of references) expect([from, to]).toEqual(["organization_id", "organization_id"]);
  });
});

/** Returns the recorded statements that must bind an organization. */
function listScopedStatements(): string[] {
  return [...recorded].filter((text) => !isAmong(exceptions, text));
}

function isAmong(some: readonly { readonly statement: RegExp }[], text: string): boolean {
  return some.some(({ statement }) => statement.test(text));
}

/** Finds each mention of a table in a statement. */
function findTables(statement: string): string[] {
  return [...statement.matchAll(/\b(?:from|join|into|update) "(\w+)"/g)].map(([, table = ""]) => table);
}

/** Counts how often a statement compares or stores an organization. */
function countBindings(statement: string): number {
  const compared = statement.match(/"organization_id" = (\?|"\w+"\."organization_id")/g)?.length ?? 0;
  return compared + (/^insert into "\w+" \("organization_id"/.test(statement) ? 1 : 0);
}

function listTableNames(): string[] {
  return plans
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table'
       and name not in ('loyalty_migrations', 'loyalty_servers') order by name`,
    )
    .pluck()
    .all()
    .filter((name) => !ofSearch.test(name) && !name.startsWith("sqlite_"));
}

function explainStatement(statement: string): string[] {
  const values = Array.from(statement.matchAll(/\?/g), () => 1);
  return plans
    .prepare<number[], { detail: string }>(`explain query plan ${statement}`)
    .all(...values)
    .map(({ detail }) => detail);
}
