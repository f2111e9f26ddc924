/** Takes away what version 44 has added. */
const withoutMakersOfVersions = "alter table loyalty_automation_versions drop column maker_id;";

/** Has members of segments lie as before version 42, in chunks; nobody is in one. */
export const membersInChunks = `
  ${withoutMakersOfVersions}
  drop table loyalty_segment_slices;
  create table loyalty_segment_members (organization_id text not null, segment_id text not null, chunk bigint not null,
    ordinals bytea not null, primary key (organization_id, segment_id, chunk));`;

const ofUsers = ["updated_at", "name_fold", "external_id_fold"].map((column) => ({
  name: `loyalty_users_${column}`,
  columns: `organization_id, ${column}, id`,
}));

/** Takes away what version 41 has changed on SQLite. */
export const withEveryUserInIndexes = `
  ${ofUsers.map(({ name }) => `drop index ${name};`).join(" ")}
  alter table loyalty_users drop column late;
  ${ofUsers.map(({ name, columns }) => `create index ${name} on loyalty_users (${columns});`).join(" ")}`;

/** Takes away what version 41 has changed. @param database `sqlite` or another one, which it has left as it was. */
export function withoutVersion41(database: string): string {
  return database === "sqlite" ? withEveryUserInIndexes : "";
}

/** Takes away what versions after 38 of the tables have added. */
export function withoutLaterThan38(database: string): string {
  return `${membersInChunks} ${withoutVersion41(database)}
    drop index loyalty_people_of_id;
    alter table loyalty_people drop column passkeys;`;
}
