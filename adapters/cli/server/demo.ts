import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { scopes } from "../../../src/scopes.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { shellWord } from "../terminal/output.js";
import { seedMonth } from "./demo-month.js";

const ORGANIZATION = "demo";

/** Gives an empty database an organization with a month of customers. @returns a token of it with every scope. */
export async function seedDemo(loyalty: LoyaltyService, storage: StorageAdapter): Promise<string> {
  const demo = loyalty.organization(ORGANIZATION);
  await seedMonth(storage, ORGANIZATION, loyalty.now());
  await demo.tags.create({ name: "VIP", description: "Guests to greet by name" });
  const { token } = await demo.apiTokens.create({ name: "demo", scopes: [...scopes] });
  return token;
}

/** What to try with the demo's token: three commands to paste into a shell. */
export function demoInstructions(url: string, token: string): string {
  const bearer = `-H 'Authorization: Bearer ${token}'`;
  const json = (body: unknown) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const ada = { email: "ada@example.com", name: "Ada Lovelace", externalId: "ada" };
  const vips = { filter: { operator: "AND", conditions: [{ slug: "vip" }] } };
  return `
The database was empty. It has an organization "${ORGANIZATION}" now, with a month of customers, a tag "vip" and this
token, which is shown only this once and may do everything:

${token}

Sign in with it in a browser:

${url}/console

Or create a user, give it the tag, and ask for everyone who has it:

curl -X POST ${url}/v1/users ${bearer} ${json(ada)}

curl -X POST ${url}/v1/users/ada/tags/vip ${bearer}

curl -X POST ${url}/v1/user-tags/query ${bearer} ${json(vips)}
`;
}

/** What to do instead when there is something in the database already. */
export function tokenInstructions(database: string): string {
  return `
The database is not empty, so the demo changes nothing. To make a token for an organization:

npx loyalty-kit token create --database ${shellWord(database)} --organization ${ORGANIZATION} --name laptop --scopes all
`;
}
