import { postgresStorage } from "loyalty-kit/postgres";
import { testStorage } from "loyalty-kit/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newStorage } from "../postgres/open-storage.js";
import { createPlace, type Place } from "../postgres/place.js";

/** The statements that bind no organization, with reasons. */
const exceptions: readonly { readonly statement: RegExp; readonly reason: string }[] = [
  { statement: /^(begin|commit|rollback)\b/, reason: "it touches no rows" },
  { statement: /^create (table|index|unique index) /, reason: "it touches no rows" },
  { statement: /pg_advisory_xact_lock/, reason: "it touches no rows" },
  { statement: /\bloyalty_(migrations|version)\b/, reason: "the version belongs to all tables" },
  {
    statement: /^select .* from "loyalty_api_tokens" where "hash" = any\(\$1\)$/,
    reason: "a presented token doesn't name its organization; its hash is unique across all organizations",
  },
  {
    statement: /^select .* from "loyalty_apps" where "id" = \$1$/,
    reason: "a client doesn't name its organization; its id is unique across all organizations",
  },
  {
    statement:
      /^select .* from "loyalty_people" where "email_fold" = \$1 order by case when "email_proven_at" .* limit \$2$/,
    reason: "a person who signs in with an email may belong to several organizations",
  },
  {
    statement: /^select .* from "loyalty_people" where "id" = \$1 order by "organization_id" limit \$2$/,
    reason: "a passkey names its person, but no organization",
  },
  {
    statement: /^select 1 as "one" from "loyalty_people" limit \$1$/,
    reason: "a sign-in names no organization",
  },
  {
    statement: /^select .* from "loyalty_grant_tokens" as "token" .* where "token"."hash" = \$1 limit \$2$/,
    reason: "a presented token doesn't name its organization, and its app may belong to another one",
  },
  {
    statement:
      /^select .* from "loyalty_grants" as "grant" where "grant"."organization_id" = \$1 and exists \(select "app"."id" /,
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
    statement: /^delete from "loyalty_users" where \("organization_id", "ordinal"\) in/,
    reason: "each row is identified by its whole key",
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
    statement: /^select .* from "loyalty_mail_queues" where "token" = \$1 limit/,
    reason: "the link in a mail contains only its token",
  },
  {
    statement: /^select .* from "loyalty_mail_queues" where "organization_id" > /,
    reason: "all queues are scanned to reseal their secrets",
  },
  {
    statement: /^select .* from "loyalty_segment_followers" as "follower" inner join "loyalty_organizations"/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement:
      /^select distinct "organization_id" as "organizationId" from "loyalty_tag_removals" order by "organization_id" limit \$1$/,
    reason: "a worker looks for work in all organizations",
  },
  {
    statement: /^select .* from "loyalty_segment_followers" where "organization_id" > /,
    reason: "the segments of all organizations are refreshed",
  },
  {
    statement: /^select .* from "loyalty_wallet_queues" where "organization_id" > /,
    reason: "all organizations with cards in wallets are notified about a certificate",
  },
  {
    statement: /^select .* from "loyalty_wallet_cards" as "card" where "card"."pass_id" = \$1 limit/,
    reason: "a wallet identifies a pass only by its id, which is unique",
  },
  {
    statement: /^select .* from "loyalty_wallet_cards" as "card" where "card"."pass_id" > \$1 (and|order)/,
    reason: "all cards are scanned, to check whether Google still has them or to reseal their secrets",
  },
  {
    statement:
      /^select .* from "loyalty_wallet_devices" as "device" .*where "device"."(device_id|push_token)" = \$1 and/,
    reason: "a device may have passes of any organization, and doesn't name one",
  },
  {
    statement:
      /^select "organization_id" from "loyalty_(templates" where "id|wallet_passes" where "code)" = \$1 limit/,
    reason: "the link to a public page doesn't name its organization",
  },
  {
    statement: /^select .* from "loyalty_webhook_endpoints" where \("organization_id", "id"\) > /,
    reason: "all endpoints are scanned to reseal their secrets",
  },
  {
    statement: /^select .* from "loyalty_pictures" where "hash" = \$1 limit/,
    reason: "pictures are public to anyone who knows their hash",
  },
  {
    statement: /^select "organization_id" from "loyalty_organizations" limit \$1$/,
    reason: "it checks whether any organization exists",
  },
];

/** The indexes that don't begin with the organization, with reasons. */
const otherIndexes: Readonly<Record<string, string>> = {
  loyalty_api_tokens_hash: "a presented token doesn't name its organization",
  loyalty_apps_id: "a client ID doesn't name its organization",
  loyalty_people_of_email: "a person who signs in names no organization",
  loyalty_people_of_id: "a person who signs in names no organization",
  loyalty_grant_tokens_hash: "a presented token doesn't name its organization",
  loyalty_webhook_endpoints_due_at: "a worker looks for work in all organizations",
  loyalty_organizations_newest_event_minute: "a worker looks for work in all organizations",
  loyalty_wallet_queues_due_at: "a worker looks for work in all organizations",
  loyalty_mail_queues_due_at: "a worker looks for work in all organizations",
  loyalty_message_queues_due_at: "a worker looks for work in all organizations",
  loyalty_segment_followers_next_midnight: "a worker looks for work in all organizations",
  loyalty_automation_queues_due_at: "a worker looks for work in all organizations",
  loyalty_mail_queues_token: "a mail's link has only its token",
  loyalty_wallet_cards_pass: "a wallet knows only the pass's ID",
  loyalty_wallet_devices_device: "a device can have passes of several organizations",
  loyalty_wallet_devices_token: "a push token can belong to passes of several organizations",
  loyalty_pictures_hash: "pictures are public to anyone who knows their hash",
  loyalty_templates_public: "a link to a page doesn't name its organization",
  loyalty_wallet_passes_public: "a link to a page doesn't name its organization",
  loyalty_user_pieces_pieces: "each piece is combined with its organization",
  loyalty_migrations_pkey: "the version applies to all tables",
  loyalty_servers_pkey: "processes serve all organizations",
};

const recorded = new Set<string>();
const query = pg.Client.prototype.query;
let createdPlace: Place;

beforeAll(async () => {
  pg.Client.prototype.query = new Proxy(query, {
    apply(target, client, args) {
      recordStatement(args[0]);
      return Reflect.apply(target, client, args);
    },
  });
  createdPlace = await createPlace();
  await (await postgresStorage(createdPlace.url)).close();
});

afterAll(async () => {
  pg.Client.prototype.query = query;
  await createdPlace.remove();
});

function recordStatement(statement: unknown): void {
  const text =
    typeof statement === "object" && statement !== null && "text" in statement ? statement.text : statement;
  if (typeof text === "string") recorded.add(text.replaceAll(/\s+/g, " ").trim());
}

// The suite calls every operation of the port, and the proxy records each statement.
testStorage({ describe, it }, newStorage);

describe("statements on Postgres", () => {
  it("are recorded for every table", async () => {
    expect(new Set(listScopedStatements().flatMap(findTables))).toEqual(new Set(await listTableNames()));
  });

  it("bind the organization of each table that they name", () => {
    const unbound = listScopedStatements().filter(
      (statement) => countBindings(statement) < findTables(statement).length,
    );
    expect(unbound).toEqual([]);
  });

  it.each(exceptions)("$statement is a necessary exception: $reason", ({ statement }) => {
    expect([...recorded].filter((text) => statement.test(text))).not.toEqual([]);
  });
});

describe("tables on Postgres", () => {
  it("have only keys, unique constraints and indexes that begin with the organization, except those listed", async () => {
    const rows = await queryCatalog<{ name: string; column: string }>(
      `select c.relname as name, a.attname as column from pg_index i
         join pg_class c on c.oid = i.indexrelid
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where c.relnamespace = current_schema::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan((await listTableNames()).length);
    const others = rows.filter(({ column }) => column !== "organization_id").map(({ name }) => name);
    expect(others.sort()).toEqual(Object.keys(otherIndexes).sort());
  });

  it("reference each other by the organization first", async () => {
    const rows = await queryCatalog<{ from: string; to: string }>(
      `select a.attname as from, b.attname as to from pg_constraint k
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
         join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
       where k.contype = 'f' and k.connamespace = current_schema::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(4);
    for (const row of rows) expect(row).toEqual({ from: "organization_id", to: "organization_id" });
  });
});

/** Returns the recorded statements on our tables that must bind an organization. */
function listScopedStatements(): string[] {
  return [...recorded]
    .filter((text) => text.includes("loyalty_") && !exceptions.some(({ statement }) => statement.test(text)))
    .filter((text) => !isOfTests(text));
}

/** Whether a statement comes from the tests, which empty their places with several statements in one call. */
function isOfTests(text: string): boolean {
  return text.includes(";") || /\bschema test_/.test(text);
}

/** Finds each mention of a table in a statement. */
function findTables(statement: string): string[] {
  return [...statement.matchAll(/\b(?:from|join|into|update) "?(loyalty_\w+)"?/g)].map(
    ([, table = ""]) => table,
  );
}

/**
 * Counts how often a statement compares an organization with a parameter or another table's, or stores one.
 */
function countBindings(statement: string): number {
  const compared = statement.match(/"?organization_id"? = (\$\d+|"\w+"\."organization_id")/g)?.length ?? 0;
  return compared + (/^insert into "?\w+"? \("?organization_id"?/.test(statement) ? 1 : 0);
}

async function listTableNames(): Promise<string[]> {
  const rows = await queryCatalog<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname not in ('loyalty_migrations', 'loyalty_servers')
       and relnamespace = current_schema::regnamespace`,
  );
  return rows.map(({ name }) => name);
}

async function queryCatalog<Row extends pg.QueryResultRow>(query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: createdPlace.url });
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}
