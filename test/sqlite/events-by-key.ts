import Database from "better-sqlite3";
import { withoutLaterThan38 } from "../kysely/later-than-38.js";

/** Takes a file back to the version whose events had the key of their organization and position. @returns the file. */
export function withEventsByKey(file: string): string {
  const db = new Database(file);
  db.exec(`${withoutLaterThan38("sqlite")}
    create table former (organization_id text not null, position integer not null, id text not null, type text not null,
      created_at integer not null, data text not null, actor text, subject text, open_day text,
      constraint loyalty_events_key primary key (organization_id, position)) strict, without rowid;
    insert into former select organization_id, position, id, type, created_at, data, actor, subject, open_day
      from loyalty_events;
    drop table loyalty_events;
    alter table former rename to loyalty_events;
    create index loyalty_events_subject on loyalty_events (organization_id, subject, position)
      where subject is not null;
    delete from loyalty_search_organizations where number > 1;
    delete from loyalty_migrations where version >= 38;`);
  db.close();
  return file;
}
