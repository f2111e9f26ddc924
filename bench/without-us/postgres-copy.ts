import { once } from "node:events";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from } from "pg-copy-streams";
import { v7 } from "uuid";
import type { NewCustomer } from "../hand-written.js";

const tables = `
  create extension if not exists pg_trgm;
  create table own_users (number bigint generated always as identity primary key, id text not null unique,
    email text not null, name text, phone text, external_id text unique, metadata jsonb not null,
    created_at timestamptz not null, email_fold text not null unique, name_fold text, search_text text not null);
  create index on own_users (name_fold, number);
  create index on own_users using gin (search_text gin_trgm_ops);
  create table own_tags (number integer generated always as identity primary key, slug text not null unique);
  create table own_user_tags (tag integer, "user" bigint, created_at timestamptz not null, primary key (tag, "user"));
  create index on own_user_tags ("user", tag);
  create table own_events (position bigint generated always as identity primary key, id text not null, type text not null,
    created_at timestamptz not null, data jsonb not null);`;

/** Incoming rows, before they are checked: the user with the tags. */
const incomingTable = `create temporary table incoming (id text, email text, name text, phone text, external_id text,
  metadata jsonb, created_at timestamptz, email_fold text, name_fold text, search_text text, tags text[])`;

/** An import into custom tables on Postgres, written for speed: a `COPY`, and then three statements. */
export class PostgresCopy {
  private constructor(private readonly client: pg.Client) {}

  /** Makes the tables and the tags. */
  static async start(client: pg.Client, slugs: readonly string[]): Promise<PostgresCopy> {
    await client.query(tables);
    await client.query("insert into own_tags (slug) select unnest($1::text[])", [slugs]);
    await client.query(incomingTable);
    return new PostgresCopy(client);
  }

  /** Imports all users in one transaction; existing ones stay as they are. @returns how many were new. */
  async import(users: readonly NewCustomer[]): Promise<number> {
    await this.client.query("begin");
    await this.copy(users);
    const { rowCount } = await this.client.query(
      `with added as (
        insert into own_users (id, email, name, phone, external_id, metadata, created_at, email_fold, name_fold, search_text)
          select id, email, name, phone, external_id, metadata, created_at, email_fold, name_fold, search_text from incoming
          on conflict do nothing
          returning number, id, email, name, phone, external_id, metadata, created_at)
      insert into own_events (id, type, created_at, data)
        select 'evt_' || id, 'user.created', created_at, to_jsonb(added) from added`,
    );
    await this.client.query(
      `with tagged as (
        insert into own_user_tags (tag, "user", created_at)
          select t.number, u.number, i.created_at from incoming i join own_users u on u.id = i.id
            cross join unnest(i.tags) as given (tag) join own_tags t on t.slug = given.tag
          returning *)
      insert into own_events (id, type, created_at, data)
        select 'evt_' || gen_random_uuid(), 'user_tag.assigned', created_at, to_jsonb(tagged) from tagged`,
    );
    await this.client.query("truncate incoming");
    await this.client.query("commit");
    return rowCount ?? 0;
  }

  private async copy(users: readonly NewCustomer[]): Promise<void> {
    const stream = this.client.query(from("copy incoming from stdin"));
    const time = new Date().toISOString();
    for (const { email, name, phone, externalId, metadata, tags } of users) {
      const folds = [email, name, phone, externalId].map((text) => text.toLowerCase());
      const [emailFold = "", nameFold = ""] = folds;
      const fields = [
        ...[
          `usr_${v7()}`,
          email,
          name,
          phone,
          externalId,
          JSON.stringify(metadata),
          time,
          emailFold,
          nameFold,
        ],
        ...[folds.join("\n"), `{${tags.join(",")}}`],
      ];
      if (!stream.write(`${fields.map(escapeText).join("\t")}\n`)) await once(stream, "drain");
    }
    stream.end();
    await finished(stream);
  }
}

/** As the text format of `COPY` has it. */
function escapeText(text: string): string {
  return text.replaceAll(
    /[\\\t\n\r]/g,
    (character) => ({ "\t": "\\t", "\n": "\\n", "\r": "\\r" })[character] ?? "\\\\",
  );
}
