import fc from "fast-check";
import type { Organization, User } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { USERS_OF_BLOCK } from "../../adapters/storage/kysely/contacts/search-blocks.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { numberFrom } from "../kit/numbered-from.js";
import { filledTexts, texts } from "./arbitraries.js";
import { Customers, contactSteps, fewLetters, hasTerm } from "./contact-steps.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

const optional = (maxLength: number) => fc.option(filledTexts(maxLength));

const customers = fc.array(fc.record({ name: optional(30), phone: optional(20), externalId: optional(30) }), {
  minLength: 1,
  maxLength: 8,
});

/** Creates them, but for those whose externalId is taken. */
async function join(acme: Organization, fields: readonly { externalId: string | null }[]): Promise<User[]> {
  const users: User[] = [];
  for (const each of fields) {
    if (users.some(({ externalId }) => externalId !== null && externalId === each.externalId)) continue;
    users.push(await acme.users.create({ ...each, email: someEmail() }));
  }
  return users;
}

/** A part of one of the texts, from one code point to another, in another case and composition. */
const parts = fc.record({
  text: fc.nat(),
  from: fc.nat({ max: 20 }),
  length: fc.integer({ min: 1, max: 6 }),
  as: fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text.normalize("NFD"),
    (text) => text.normalize("NFC"),
  ),
});

const textsOf = ({ email, name, phone, externalId }: User) =>
  [email, name, phone, externalId].filter((text) => text !== null);

/** Where the first user's number is 0, and where the first ones come into the search index of a database soon. */
const places = everyAdapter.flatMap((adapter) =>
  // In memory there is no such index, and every number is taken.
  (adapter.name === "memory" ? [0] : [0, USERS_OF_BLOCK - 3]).map((start) => ({ ...adapter, start })),
);

describe.each(places)("a contact search on $name, from user $start on", ({ name, open, start }) => {
  const newOrganization = newOrganizations(async () => numberFrom(await open(), start));

  const agree = async (acme: Organization, users: readonly User[], search: string) => {
    const found = users.filter((user) => hasTerm(user, search));
    const page = await acme.contacts.list({ search, sort: "createdAt,asc" });
    expect([search, page.content.map(({ email }) => email)]).toEqual([
      search,
      found.map(({ email }) => email),
    ]);
    expect(page.totalElements).toBe(found.length);
  };

  it("finds the users who have the text in a field, whatever their fields and the text are", async () => {
    await fc.assert(
      fc.asyncProperty(customers, fc.array(parts), fc.array(texts(5)), async (fields, wanted, others) => {
        const acme = newOrganization();
        const users = await join(acme, fields);
        const all = users.flatMap(textsOf);
        for (const { text, from, length, as } of wanted) {
          const points = Array.from(all[text % all.length] ?? "");
          const start = from % points.length;
          await agree(acme, users, as(points.slice(start, start + length).join("")));
        }
        for (const other of others) await agree(acme, users, other);
      }),
      storedRuns(40, name),
    );
  });

  it("finds them after any writes, in each organization its own", async () => {
    const steps = contactSteps.chain((all) =>
      fc.tuple(...all.map((step) => fc.tuple(fc.constant(step), fc.boolean(), fewLetters(1, 5)))),
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fewLetters(1, 5), { maxLength: 8 }), async (taken, terms) => {
        const [acme, globex] = [new Customers(newOrganization()), new Customers(newOrganization())];
        for (const [step, isOfAcme, term] of taken) {
          await (isOfAcme ? acme : globex).take(step);
          for (const each of [acme, globex]) await agree(each.acme, each.users, term);
        }
        for (const each of [acme, globex]) {
          for (const term of terms) await agree(each.acme, each.users, term);
        }
      }),
      storedRuns(40, name),
    );
  });

  it("finds them by their fields as they are now", async () => {
    const changes = fc.array(fc.tuple(fc.nat(), optional(12)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(customers, changes, fc.option(fc.nat()), async (fields, renames, deleted) => {
        const acme = newOrganization();
        const users = await join(acme, fields);
        const past = users.flatMap(textsOf);
        for (const [place, name] of renames) {
          const at = place % users.length;
          users[at] = await acme.users.update(users[at]?.id ?? "", { name });
        }
        if (deleted !== null) {
          for (const { id } of users.splice(deleted % users.length, 1)) await acme.users.delete(id);
        }
        for (const text of [...past, ...users.flatMap(textsOf)]) {
          await agree(acme, users, text);
          await agree(acme, users, Array.from(text).slice(0, 3).join(""));
        }
      }),
      storedRuns(30, name),
    );
  });
});
