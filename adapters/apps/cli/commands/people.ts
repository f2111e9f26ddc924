import { type Command, Option } from "commander";
import { isRole, type Role, roles } from "../../../../src/base/scopes.js";
import { foldEmail } from "../../../../src/base/values/email.js";
import { parseUrl } from "../../../../src/base/values/url.js";
import type { Organization } from "../../../../src/organization.js";
import type { AddedPerson, Person, PersonLink } from "../../../../src/people/schema.js";
import { addOrganizationCommand, type CommandTarget, withOrganization } from "../database/organization.js";
import { CommandError, toFieldError } from "../terminal/command-error.js";
import { type Output, printList } from "../terminal/output.js";
import { createParser } from "../terminal/values.js";

interface LinkOptions extends CommandTarget {
  readonly publicUrl: string;
}

interface AddOptions extends LinkOptions {
  readonly role: Role;
  readonly name?: string;
}

/** Adds `loyalty-kit people`, whose subcommands manage the staff members who can sign in to the console. */
export function addPeople(program: Command, output: Output): void {
  const people = program.command("people").description("manage staff who sign in to the console by email");
  const addCommand = (name: string, description: string) => addOrganizationCommand(people, name, description);
  const addLinkCommand = (name: string, description: string) =>
    addCommand(name, description).addOption(createPublicUrlOption());

  addLinkCommand("add", "add a staff member and print a single-use sign-in link that expires in three days")
    .argument("<email>", "staff member's email")
    .addOption(
      new Option("--role <role>", `role: ${roles.join(", ")} (required)`)
        .argParser(
          createParser((text) => (isRole(text) ? text : null), `It must be one of ${roles.join(", ")}.`),
        )
        .makeOptionMandatory(),
    )
    .option("--name <text>", "name")
    .action(async (email: string, { role, name, publicUrl, ...target }: AddOptions) => {
      const addedPerson: AddedPerson = await withOrganization(target, ({ people }) =>
        people.add({ email, role, ...(name !== undefined && { name }) }).catch((error: unknown) => {
          throw toFieldError(error);
        }),
      );
      printLink(addedPerson.link, publicUrl, output);
    });

  addCommand("list", "list staff, oldest first").action(async (target: CommandTarget) => {
    const all = await withOrganization(target, readAllPeople);
    const headings = ["ID", "EMAIL", "NAME", "ROLE", "STATUS", "LAST SIGNED IN"];
    printList(headings, all.map(toRow), `organization ${target.organization} has no staff`, output);
  });

  addLinkCommand(
    "link",
    "print a new single-use sign-in link that expires in three days and replaces the previous one",
  )
    .argument("<email>", "staff member's email")
    .action(async (email: string, { publicUrl, ...target }: LinkOptions) => {
      const link = await withOrganization(target, async (organization) => {
        const { id } = findPerson(email, await readAllPeople(organization), target);
        return organization.people.link(id);
      });
      printLink(link, publicUrl, output);
    });

  addCommand("remove", "remove a staff member and immediately end their sessions on every running server")
    .argument("<email>", "staff member's email")
    .action(async (email: string, target: CommandTarget) => {
      await withOrganization(target, async (organization) => {
        const { id } = findPerson(email, await readAllPeople(organization), target);
        await organization.people.delete(id);
      });
      output.result(`removed ${email}`);
    });
}

const PAGE_SIZE = 200;

/** Returns all staff members of an organization, oldest first. */
async function readAllPeople({ people }: Organization): Promise<Person[]> {
  const all: Person[] = [];
  for await (const person of people.list({ size: PAGE_SIZE })) all.push(person);
  return all;
}

/**
 * Finds the staff member with an email address.
 * @throws {CommandError} if there is none.
 */
function findPerson(email: string, people: readonly Person[], { organization }: CommandTarget): Person {
  const match = people.find((person) => foldEmail(person.email) === foldEmail(email));
  if (match === undefined)
    throw new CommandError(`organization ${organization} has no staff member with the email ${email}`);
  return match;
}

/** The URL of a server that "loyalty-kit serve" runs without options. */
const DEFAULT_URL = "http://127.0.0.1:3000";

function createPublicUrlOption(): Option {
  return new Option("--public-url <url>", "server URL to use in the sign-in link")
    .env("LOYALTY_PUBLIC_URL")
    .argParser(
      createParser(
        (text) => (/^https?:$/.test(parseUrl(text)?.protocol ?? "") ? text : null),
        "It must be a URL such as https://loyalty.example.",
      ),
    )
    .default(DEFAULT_URL);
}

function printLink({ path, expiresAt }: PersonLink, publicUrl: string, output: Output): void {
  output.note(
    `This link works once and expires at ${expiresAt}. Anyone who opens it is signed in as this person.`,
  );
  if (publicUrl === DEFAULT_URL)
    output.note("The link works only on this machine. If staff use a different URL, set --public-url.");
  output.result(`${publicUrl.replace(/\/$/, "")}${path}`);
}

function toRow({ id, email, name, role, status, lastSignedInAt }: Person): string[] {
  return [id, email, name ?? "", role, status, lastSignedInAt ?? "never"];
}
