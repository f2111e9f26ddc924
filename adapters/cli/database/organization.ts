import { type Command, Option } from "commander";
import { isLoyaltyError } from "../../../src/errors.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { Organization } from "../../../src/organization.js";
import type { SegmentFilter } from "../../../src/resources/segment-filter.js";
import type { User } from "../../../src/resources/user.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { getSqlAccess } from "../../kysely/copying/sql-access.js";
import { CommandError, toOptionError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import type { Database } from "./database.js";
import { PostgresCommands } from "./postgres-database.js";
import { SqliteCommands } from "./sqlite-database.js";

/** The organization that a command works on. */
export interface CommandTarget {
  readonly database: Database;
  readonly organization: string;
  /** Writes a line beside the result of the command. */
  note(line: string): void;
}

/** Creates the option `--database`, the path of an SQLite file or the URL of a Postgres database. */
export function databaseOption(): Option {
  return databaseAt("--database", "an SQLite file, or postgres://…").env("LOYALTY_DATABASE");
}

/** Creates an option that names a database. */
export function databaseAt(flag: string, description: string): Option {
  return new Option(`${flag} <file-or-url>`, `${description} (required)`)
    .argParser((text) => createDatabase(text, flag))
    .makeOptionMandatory();
}

/** Adds a command for one organization. @param whose describes its target in the help. */
export function organizationCommand(
  parent: Command,
  name: string,
  description: string,
  whose: string,
  isDefault = false,
): Command {
  const command = parent
    .command(name, { isDefault })
    .description(description)
    .addOption(databaseOption())
    .addOption(
      new Option("--organization <id>", `${whose} (required)`)
        .env("LOYALTY_ORGANIZATION")
        .makeOptionMandatory(),
    );
  const note: CommandTarget["note"] = (line) => command.configureOutput().writeErr?.(line);
  return command.setOptionValue("note", note);
}

/**
 * Runs work on one organization of a database, and closes the database.
 * @param queues jobs that the work may queue, which servers of the database execute.
 * @throws {CommandError} if the database can't be opened, or the library refuses a call.
 */
export async function withOrganization<T>(
  { database, organization, note }: CommandTarget,
  work: (organization: Organization) => Promise<T>,
  queues: "nothing" | "mails" | "messages" = "nothing",
): Promise<T> {
  const { LoyaltyService } = await import("../../../src/loyalty-service.js");
  const storage = await database.open();
  const loyalty = new LoyaltyService({ storage });
  if (queues !== "nothing") serviceInternals(loyalty).mailBackend().attachSender({ host: "localhost" });
  if (queues === "messages")
    serviceInternals(loyalty)
      .walletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
  try {
    const others = await othersThan(organization, storage);
    if (others !== null) note(`organization ${organization} is new; this database has ${others}`);
    return await work(loyalty.organization(organization, { actor: { id: "command line" } }));
  } catch (error) {
    throw toOptionError(error);
  } finally {
    await loyalty.close();
  }
}

/** At most this many other organizations are named. */
const NAMED = 10;

/** Names the organizations of a database that does not have this one yet; `null` if it has it, or none at all. */
async function othersThan(organization: string, storage: StorageAdapter): Promise<string | null> {
  const { hasOrganization, readOrganizations } = await import("../../kysely/checking/organizations.js");
  const place = getSqlAccess(storage);
  if (await hasOrganization(place, organization)) return null;
  const others = await readOrganizations(place, NAMED + 1);
  if (others.length === 0) return null;
  return others.length > NAMED ? `${others.slice(0, NAMED).join(", ")} and others` : others.join(", ");
}

/**
 * Works on all organizations of a database, and closes the database.
 * @throws {CommandError} if the database can't be opened.
 */
export async function withService<T>(
  { database }: Pick<CommandTarget, "database">,
  work: (loyalty: LoyaltyService) => Promise<T>,
): Promise<T> {
  const { LoyaltyService } = await import("../../../src/loyalty-service.js");
  const loyalty = new LoyaltyService({ storage: await database.open() });
  try {
    return await work(loyalty);
  } finally {
    await loyalty.close();
  }
}

/**
 * Works on something of an organization that has an id.
 * @throws {CommandError} if there is nothing of this kind with this id, and as {@link withOrganization}.
 */
export function withResource<T>(
  kind: Parameters<typeof missingResourceHandler>[0],
  id: string,
  place: CommandTarget,
  work: (organization: Organization) => Promise<T>,
  queues: "nothing" | "messages" = "nothing",
): Promise<T> {
  return withOrganization(
    place,
    (organization) => work(organization).catch(missingResourceHandler(kind, id, place)),
    queues,
  );
}

/** Returns what throws an error on, or says that there is nothing of a kind with an id where the error is about that. */
export function missingResourceHandler(
  kind: "app" | "automation" | "grant" | "message" | "token" | "user",
  id: string,
  { organization }: CommandTarget,
): (error: unknown) => never {
  return (error) => {
    if (!isLoyaltyError(error, "resource_not_found")) throw error;
    throw new CommandError(`organization ${organization} has no ${kind} with the id ${id}`);
  };
}

/** Users per read of a filter. */
const PAGE = 100;

/** The options that select users: exactly one of them. */
export interface UserSelectorOptions {
  readonly filter?: SegmentFilter;
  /** The slug of a saved segment. */
  readonly segment?: string;
}

/** Returns how users were chosen. @throws {CommandError} if they were chosen by both ways, or by none. */
export function parseUserSelector({ filter, segment }: UserSelectorOptions): UserSelectorOptions {
  if (segment !== undefined && filter === undefined) return { segment };
  if (filter !== undefined && segment === undefined) return { filter };
  throw new CommandError("give either --filter or --segment", USAGE_ERROR_CODE);
}

/**
 * The users whom a filter finds, or who are in a saved segment, oldest first.
 * @throws {CommandError} if there is no such segment.
 */
export async function* readUsers(
  { segments }: Organization,
  { filter, segment = "" }: UserSelectorOptions,
): AsyncGenerator<User, void, undefined> {
  for (let page = 0, isLast = false; !isLast; page += 1) {
    const { content, totalPages } =
      filter === undefined
        ? await orNoSegment(segment, segments.members(segment, { page, size: PAGE }))
        : await segments.query({ filter, page, size: PAGE });
    yield* content;
    isLast = page >= totalPages - 1;
  }
}

/** Waits for something of a segment. @throws {CommandError} if there is no such segment. */
export async function orNoSegment<T>(slug: string, asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (!isLoyaltyError(error, "resource_not_found")) throw error;
    throw new CommandError(`no segment with slug ${slug}`);
  });
}

/** @throws {CommandError} if it is none; it names the option. */
function createDatabase(text: string, option: string): Database {
  if (/^postgres(ql)?:/i.test(text)) return new PostgresCommands(text, option);
  // A single letter before the colon is a Windows drive. A URL may hold a password, so unlike an InvalidArgumentError the message
  // does not repeat it.
  if (["", ":memory:"].includes(text.trim()) || /^[a-z][a-z0-9+.-]+:/i.test(text)) {
    throw new CommandError(
      `${option} must be the path of an SQLite file or a postgres:// URL`,
      USAGE_ERROR_CODE,
    );
  }
  return new SqliteCommands(text);
}
