import fc from "fast-check";
import type { Organization, User } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { BLOCK_SIZE } from "../../adapters/storage/kysely/contacts/search-blocks.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { numberFrom } from "../kit/numbered-from.js";
import { arbitraryTexts, filledTexts } from "./arbitraries.js";
import { arbitraryFewLetters, Customers, contactSteps, hasTerm } from "./contact-steps.js";
import { newOrganizations } from "./organizations.js";
import { storedRuns } from "./runs.js";

const optionalText = (maxLength: number) => fc.option(filledTexts(maxLength));

const customers = fc.array(
  fc.record({ name: optionalText(30), phone: optionalText(20), externalId: optionalText(30) }),
  {
    minLength: 1,
    maxLength: 8,
  },
);

/** Creates the users, except those whose externalId is taken. */
async function createUsers(
  acme: Organization,
  fields: readonly { externalId: string | null }[],
): Promise<User[]> {
  const users: User[] = [];
  for (const each of fields) {
    if (users.some(({ externalId }) => externalId !== null && externalId === each.externalId)) continue;
    users.push(await acme.users.create({ ...each, email: someEmail() }));
  }
  return users;
}

/** A part of one of the texts, between two code points, possibly in another case and composition. */
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

const listTexts = ({ email, name, phone, externalId }: User) =>
  [email, name, phone, externalId].filter((text) => text !== null);

/** Where the first user's number is 0, and where the first users soon enter the search index of a database. */
const places = everyAdapter.flatMap((adapter) =>
  // The memory storage has no such index, and accepts no gap in the numbers.
  (adapter.name === "memory" ? [0] : [0, BLOCK_SIZE - 3]).map((start) => ({ ...adapter, start })),
);

describe.each(places)("a contact search on $name, from user $start on", ({ name, open, start }) => {
  const newOrganization = newOrganizations(async () => numberFrom(await open(), start));

  const expectAgreement = async (acme: Organization, users: readonly User[], search: string) => {
    const found = users.filter((user) => hasTerm(user, search));
    const page = await acme.contacts.list({ search, sort: "createdAt,asc" });
    expect([search, page.content.map(({ email }) => email)]).toEqual([
      search,
      found.map(({ email }) => email),
    ]);
    expect(page.totalElements).toBe(found.length);
  };

  it("finds the users who have the text in a field, for any fields and any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        customers,
        fc.array(parts),
        fc.array(arbitraryTexts(5)),
        async (fields, termChoice, others) => {
          const acme = newOrganization();
          const users = await createUsers(acme, fields);
          const all = users.flatMap(listTexts);
          for (const { text, from, length, as } of termChoice) {
            const points = Array.from(all[text % all.length] ?? "");
            const start = from % points.length;
            await expectAgreement(acme, users, as(points.slice(start, start + length).join("")));
          }
          for (const other of others) await expectAgreement(acme, users, other);
        },
      ),
      storedRuns(40, name),
    );
  });

  it("finds them after any writes, separately in each organization", async () => {
    const steps = contactSteps.chain((all) =>
      fc.tuple(...all.map((step) => fc.tuple(fc.constant(step), fc.boolean(), arbitraryFewLetters(1, 5)))),
    );
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(arbitraryFewLetters(1, 5), { maxLength: 8 }),
        async (stepList, terms) => {
          const [acme, globex] = [new Customers(newOrganization()), new Customers(newOrganization())];
          for (const [step, isOfAcme, term] of stepList) {
            await (isOfAcme ? acme : globex).runStep(step);
            for (const each of [acme, globex]) await expectAgreement(each.acme, each.users, term);
          }
          for (const each of [acme, globex]) {
            for (const term of terms) await expectAgreement(each.acme, each.users, term);
          }
        },
      ),
      storedRuns(40, name),
    );
  });

  it("finds them by the current values of their fields", async () => {
    const changes = fc.array(fc.tuple(fc.nat(), optionalText(12)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(customers, changes, fc.option(fc.nat()), async (fields, renames, deleted) => {
        const acme = newOrganization();
        const users = await createUsers(acme, fields);
        const past = users.flatMap(listTexts);
        for (const [place, name] of renames) {
          const at = place % users.length;
          users[at] = await acme.users.update(users[at]?.id ?? "", { name });
        }
        if (deleted !== null) {
          for (const { id } of users.splice(deleted % users.length, 1)) await acme.users.delete(id);
        }
        for (const text of [...past, ...users.flatMap(listTexts)]) {
          await expectAgreement(acme, users, text);
          await expectAgreement(acme, users, Array.from(text).slice(0, 3).join(""));
        }
      }),
      storedRuns(30, name),
    );
  });
});
