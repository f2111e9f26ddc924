/** Takes away what versions after 38 of the tables have added, on SQLite and on Postgres. */
export const withoutLaterThan38 = `
  drop index loyalty_people_of_id;
  alter table loyalty_people drop column passkeys;`;
