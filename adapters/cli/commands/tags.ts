import type { Command } from "commander";
import { isLoyaltyError } from "../../../src/errors.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { organizationOption } from "../terminal/organization.js";
import { type Output, oneLine } from "../terminal/output.js";
import { tableOf } from "../terminal/table.js";

interface Place {
  readonly database: Database;
  readonly organization: string;
}

interface CreateOptions extends Place {
  readonly name: string;
  readonly color?: string;
  readonly description?: string;
}

/** `loyalty-kit tags`, and `loyalty-kit tags create` */
export function addTags(program: Command, output: Output): void {
  const tags = program
    .command("tags")
    .description("show all tags of an organization, oldest first; or make one");
  tags
    .command("list", { isDefault: true })
    .description("show all tags of an organization, oldest first")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tags"))
    .action((place: Place) => list(place, output));
  tags
    .command("create")
    .description("make a tag, and print its slug; a missing database file is created")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tag"))
    .requiredOption("--name <text>", "what it is called (required); the slug is made from it")
    .option("--color <#RRGGBB>", "for screens")
    .option("--description <text>", "what it is for")
    .action((options: CreateOptions) => create(options, output));
}

async function list(place: Place, output: Output): Promise<void> {
  const tags = await inOrganization(place, (organization) => organization.tags.list());
  const rows = tags.map(({ slug, name, color, createdAt }) => [slug, name, color, createdAt]);
  if (rows.length === 0) output.note(`organization ${oneLine(place.organization)} has no tags`);
  else for (const line of tableOf([["SLUG", "NAME", "COLOR", "CREATED"], ...rows])) output.result(line);
}

async function create({ database, organization, ...tag }: CreateOptions, output: Output): Promise<void> {
  const place = { database, organization, mayBeNew: true };
  const made = await inOrganization(place, ({ tags }) => tags.create(tag)).catch(refused);
  output.result(made.slug);
}

function refused(error: unknown): never {
  if (isLoyaltyError(error, "user_tag_already_exists")) throw new CommandError(error.message);
  if (isLoyaltyError(error, "validation_failed")) throw new CommandError(error.message, WRONG_USAGE);
  throw error;
}
