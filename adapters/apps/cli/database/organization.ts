import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { User } from "../../../../src/customers/schema.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { Organization } from "../../../../src/organization.js";
import type { SegmentFilter } from "../../../../src/segments/filter-schema.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { PackageMissing } from "../../../setup/peers.js";
import { getSqlAccess } from "../../../storage/kysely/copying/sql-access.js";
import { CommandError, FAILURE_CODE, toOptionError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import type { BackupCommandOptions, Database, InspectedDatabase, OpenOptions } from "./database.js";
import { missingDatabaseError, throwCannotOpen } from "./database-error.js";
import { PostgresCliDatabase } from "./postgres-database.js";

const loadAdapter = () => import("../../../storage/sqlite/index.js");

/** The database and organization that a command works on. */
export interface CommandTarget {
  readonly database: Database;
  readonly organization: string;
  /** Writes a line to standard error, separate from the command's result. */
  note(line: string): void;
}

/** Creates the required `--database` option, whose value is the path of an SQLite file or the URL of a Postgres database. */
export function createDatabaseOption(): Option {
  return createDatabaseLocationOption("--database", "path to a SQLite file, or a postgres:// URL").env(
    "LOYALTY_DATABASE",
  );
}

/** Creates a required option whose value is the path of an SQLite file or the URL of a Postgres database. */
export function createDatabaseLocationOption(flag: string, description: string): Option {
  return new Option(`${flag} <file-or-url>`, `${description} (required)`)
    .argParser((text) => createDatabase(text, flag))
    .makeOptionMandatory();
}

interface OrganizationCommandOptions {
  /** The help text for the organization option. */
  readonly argumentDescription?: string;
  /** Whether the parent runs this command if no other is named. */
  readonly isDefault?: boolean;
}

/**
 * Adds a command that works on one organization, with options for the database and the organization.
 */
export function addOrganizationCommand(
  parent: Command,
  name: string,
  description: string,
  { argumentDescription = "organization ID", isDefault = false }: OrganizationCommandOptions = {},
): Command {
  const command = parent
    .command(name, { isDefault })
    .description(description)
    .addOption(createDatabaseOption())
    .addOption(
      new Option("--organization <id>", `${argumentDescription} (required)`)
        .env("LOYALTY_ORGANIZATION")
        .makeOptionMandatory(),
    );
  const note: CommandTarget["note"] = (line) => command.configureOutput().writeErr?.(line);
  return command.setOptionValue("note", note);
}

/**
 * Opens the database, runs `work` on one organization, and closes the database.
 * @param queuedJobs which kinds of jobs `work` can queue. The jobs are run by servers that use the same database.
 * @returns the result of `work`.
 * @throws {CommandError} if the database can't be opened, or if the library rejects a call.
 */
export async function withOrganization<T>(
  { database, organization, note }: CommandTarget,
  work: (organization: Organization) => Promise<T>,
  queuedJobs: "nothing" | "mails" | "messages" = "nothing",
): Promise<T> {
  const { LoyaltyService } = await import("../../../../src/loyalty-service.js");
  const storage = await database.open();
  const loyalty = new LoyaltyService({ storage });
  if (queuedJobs !== "nothing") serviceInternals(loyalty).backends.mail.attachSender({ host: "localhost" });
  if (queuedJobs === "messages")
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
  try {
    const otherOrganizations = await describeOtherOrganizations(organization, storage);
    if (otherOrganizations !== null)
      note(`organization ${organization} is new; this database already contains ${otherOrganizations}`);
    return await work(loyalty.organization(organization, { actor: { id: "command line" } }));
  } catch (error) {
    throw toOptionError(error);
  } finally {
    await loyalty.close();
  }
}

/** Maximum number of other organizations to list. */
const MAX_LISTED_ORGANIZATIONS = 10;

/** Lists a database's organizations if it doesn't have this one yet. Returns `null` if it has this organization or is empty. */
async function describeOtherOrganizations(
  organization: string,
  storage: StorageAdapter,
): Promise<string | null> {
  const { hasOrganization, readOrganizations } = await import(
    "../../../storage/kysely/checking/organizations.js"
  );
  const sqlAccess = getSqlAccess(storage);
  if (await hasOrganization(sqlAccess, organization)) return null;
  const otherOrganizations = await readOrganizations(sqlAccess, MAX_LISTED_ORGANIZATIONS + 1);
  if (otherOrganizations.length === 0) return null;
  return otherOrganizations.length > MAX_LISTED_ORGANIZATIONS
    ? `${otherOrganizations.slice(0, MAX_LISTED_ORGANIZATIONS).join(", ")} and others`
    : otherOrganizations.join(", ");
}

/**
 * Opens the database, runs `work` with access to all organizations, and closes the database.
 * @returns the result of `work`.
 * @throws {CommandError} if the database can't be opened.
 */
export async function withService<T>(
  { database }: Pick<CommandTarget, "database">,
  work: (loyalty: LoyaltyService) => Promise<T>,
): Promise<T> {
  const { LoyaltyService } = await import("../../../../src/loyalty-service.js");
  const loyalty = new LoyaltyService({ storage: await database.open() });
  try {
    return await work(loyalty);
  } finally {
    await loyalty.close();
  }
}

/** A resource that a command's argument names. */
interface NamedResource {
  readonly kind: "app" | "automation" | "grant" | "message" | "token" | "user";
  readonly id: string;
}

/**
 * Works like {@link withOrganization}, but reports a missing resource by its kind and ID.
 * @throws {CommandError} if the organization has no resource of this kind with this ID, or under the same conditions as
 * {@link withOrganization}.
 */
export function withResource<T>(
  resource: NamedResource,
  target: CommandTarget,
  work: (organization: Organization) => Promise<T>,
  queuedJobs: "nothing" | "messages" = "nothing",
): Promise<T> {
  return withOrganization(
    target,
    (organization) => work(organization).catch(createMissingResourceHandler(resource, target)),
    queuedJobs,
  );
}

/**
 * Returns an error handler that replaces a "not found" error with a {@link CommandError} that names the resource's kind and ID. All
 * other errors are rethrown.
 */
export function createMissingResourceHandler(
  { kind, id }: NamedResource,
  { organization }: CommandTarget,
): (error: unknown) => never {
  return (error) => {
    if (!isLoyaltyError(error, "resource_not_found")) throw error;
    throw new CommandError(`organization ${organization} has no ${kind} with the ID ${id}`);
  };
}

/** Number of users per page. */
const PAGE_SIZE = 100;

/** Options that select users. Exactly one option must be set. */
export interface UserSelectorOptions {
  readonly filter?: SegmentFilter;
  readonly segment?: string;
}

/**
 * Checks that exactly one of the two options is set, and returns the options.
 * @throws {CommandError} if both options are set or neither is.
 */
export function parseUserSelector({ filter, segment }: UserSelectorOptions): UserSelectorOptions {
  if (segment !== undefined && filter === undefined) return { segment };
  if (filter !== undefined && segment === undefined) return { filter };
  throw new CommandError("specify either --filter or --segment", USAGE_ERROR_CODE);
}

/**
 * Yields the users who match a filter or belong to a saved segment, oldest first.
 * @throws {CommandError} if the segment doesn't exist.
 */
export async function* readUsers(
  { segments }: Organization,
  { filter, segment = "" }: UserSelectorOptions,
): AsyncGenerator<User, void, undefined> {
  for (let page = 0, isLast = false; !isLast; page += 1) {
    const { content, totalPages } =
      filter === undefined
        ? await reportMissingSegment(segment, segments.members(segment, { page, size: PAGE_SIZE }))
        : await segments.query({ filter, page, size: PAGE_SIZE });
    yield* content;
    isLast = page >= totalPages - 1;
  }
}

/**
 * Awaits a call that uses a segment, and replaces its "not found" error with one that names the segment's slug.
 * @throws {CommandError} if the segment doesn't exist.
 * @throws any other error that the call throws.
 */
export async function reportMissingSegment<T>(slug: string, lookup: Promise<T>): Promise<T> {
  return lookup.catch((error: unknown) => {
    if (!isLoyaltyError(error, "resource_not_found")) throw error;
    throw new CommandError(`there is no segment with the slug ${slug}`);
  });
}

/**
 * Creates a database from an option's value.
 * @throws {CommandError} naming the option, if the value is neither a path nor a Postgres URL.
 */
function createDatabase(text: string, option: string): Database {
  if (/^postgres(ql)?:/i.test(text)) return new PostgresCliDatabase(text, option);
  // A single letter before the colon is a Windows drive. The value may be a URL with a password, so the message doesn't repeat it,
  // as the message of an InvalidArgumentError would.
  if (["", ":memory:"].includes(text.trim()) || /^[a-z][a-z0-9+.-]+:/i.test(text)) {
    throw new CommandError(
      `${option} must be the path to a SQLite file or a postgres:// URL`,
      USAGE_ERROR_CODE,
    );
  }
  return new SqliteCliDatabase(text);
}

/** A database in an SQLite file. The file might not exist yet. */
class SqliteCliDatabase implements Database {
  constructor(readonly name: string) {}

  get file(): string {
    return this.name;
  }

  async open({ replicas = [], onMigration }: OpenOptions = {}): Promise<StorageAdapter> {
    if (replicas.length > 0) throw replicasOfFileError();
    const { sqliteStorage } = await loadAdapter();
    if (onMigration === undefined) this.#assertExists();
    const migration = onMigration === undefined ? ({ migrate: "never" } as const) : { onMigration };
    return sqliteStorage(this.name, migration).catch((error) => this.#throwCannotOpen(error));
  }

  async openRateLimits(): Promise<null> {
    return null;
  }

  async inspect({ replicas = [] }: OpenOptions = {}): Promise<InspectedDatabase> {
    if (replicas.length > 0) throw replicasOfFileError();
    const { inspectDriver, inspectSqlite } = await import("../../../storage/sqlite/inspection.js");
    try {
      const kind = await inspectDriver();
      const tables = existsSync(this.name) ? await inspectSqlite(this.name) : null;
      return { kind, tables, clockSkewMs: null };
    } catch (error) {
      return this.#throwCannotOpen(error);
    }
  }

  async migrate() {
    const { migrateSqlite } = await loadAdapter();
    return migrateSqlite(this.name).catch((error) => this.#throwCannotOpen(error));
  }

  async backup(target: string, options: BackupCommandOptions): Promise<void> {
    const { backupSqlite } = await loadAdapter();
    this.#assertExists();
    await backupSqlite(this.name, target, options).catch((cause: unknown) => {
      if (cause instanceof PackageMissing) throw cause;
      throw new CommandError(`can't copy ${this.name} to ${target}: ${formatReason(cause)}`, FAILURE_CODE, {
        cause,
      });
    });
  }

  async migrationScript(): Promise<never> {
    throw new CommandError("--print only works with Postgres", USAGE_ERROR_CODE);
  }

  #assertExists(): void {
    if (!existsSync(this.name)) throw missingDatabaseError(this.name);
  }

  #throwCannotOpen(error: unknown): never {
    throwCannotOpen(this.name, formatReason(error), error);
  }
}

function replicasOfFileError(): CommandError {
  return new CommandError("--replica-url only works with Postgres", USAGE_ERROR_CODE);
}

function formatReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
