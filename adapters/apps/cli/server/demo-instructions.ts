import { shellWord } from "../terminal/output.js";
import { ORGANIZATION } from "./demo.js";
import type { DemoMail } from "./demo-mail.js";

/** Returns instructions for trying out a new demo with its API token, including three commands to paste into a shell. */
export function demoInstructions(url: string, token: string): string {
  const bearer = `-H 'Authorization: Bearer ${token}'`;
  const json = (body: unknown) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const ada = { email: "ada@example.com", name: "Ada Lovelace", externalId: "ada" };
  const vips = { filter: { operator: "AND", conditions: [{ slug: "vip" }] } };
  return `
The database was empty. It now contains an organization "${ORGANIZATION}" with data from a café's first month, a tag "vip", and this API
token, which has all scopes and is shown only once:

${token}

Sign in with it in your browser:

${url}/console

Or create a user, assign the tag and query everyone who has it:

curl -X POST ${url}/v1/users ${bearer} ${json(ada)}

curl -X POST ${url}/v1/users/ada/tags/vip ${bearer}

curl -X POST ${url}/v1/user-tags/query ${bearer} ${json(vips)}
`;
}

/** Returns instructions for signing in to the demo that an earlier run created. */
export function againInstructions(url: string, token: string): string {
  return `
The demo is just as you left it. This API token has all scopes, expires in a day and is shown only once:

${token}

Sign in with it in your browser:

${url}/console
`;
}

/** Returns instructions for opening the demo's guided tour. */
export function firstLookInstructions(url: string, path: string): string {
  return `
Take a first look in five steps (this link also signs you in):

${url}${path}
`;
}

/** Returns instructions for opening the demo's mailbox. */
export function mailboxInstructions(url: string, { link }: Pick<DemoMail, "link">): string {
  return `
No emails leave this machine. You can read them in an in-memory mailbox, which the console links to:

${url}${link.url}
`;
}

/** Returns instructions for creating an API token. Shown if the database contains data but no demo. */
export function tokenInstructions(database: string): string {
  return `
The database isn't empty, so the demo changes nothing. To create an API token for an organization:

npx loyalty-kit token create --database ${shellWord(database)} --organization ${ORGANIZATION} --name laptop --scopes all
`;
}
