import { type Command, Option } from "commander";
import type { ApiToken } from "../../../../src/access/api-token-schema.js";
import type { CreatedByToken } from "../../../../src/access/app-schema.js";
import type { Scope } from "../../../../src/base/scopes.js";
import {
  addOrganizationCommand,
  type CommandTarget,
  withOrganization,
  withResource,
} from "../database/organization.js";
import { createScopesOption, formatScopes, scopesHelp } from "../terminal/options.js";
import { type Output, printList } from "../terminal/output.js";
import { createParser, parseDuration } from "../terminal/values.js";

interface CreateOptions extends CommandTarget {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresIn?: number;
  readonly neverExpires: boolean;
  readonly from?: readonly string[];
}

interface RotateOptions extends CommandTarget {
  readonly overlap?: number;
  readonly expiresIn?: number;
}

/** Default lifetime of a token, in milliseconds, so that forgotten tokens eventually expire. */
const DEFAULT_LIFETIME_MS = 365 * 86_400_000;

/** Adds `loyalty-kit token`, whose subcommands manage API tokens and list what the tokens created. */
export function addToken(program: Command, output: Output): void {
  const token = program.command("token").description("manage API tokens and list what they created");
  const addCommand = (name: string, description: string) => addOrganizationCommand(token, name, description);

  addCommand("create", "create a token and print it; it's shown only once")
    .requiredOption("--name <text>", "token name (required)")
    .addOption(createScopesOption("scopes"))
    .addOption(
      createDurationOption("--expires-in", "lifetime, such as 90d, 1h, or 30m (default: 1 year)").conflicts(
        "neverExpires",
      ),
    )
    .option("--never-expires", "create a token that never expires", false)
    .addOption(
      new Option(
        "--from <addresses>",
        "comma-separated IP addresses and networks that can use the token (default: any)",
      ).argParser((text: string) => text.split(",").map((part) => part.trim())),
    )
    .addHelpText("after", scopesHelp)
    .action(
      async ({
        name,
        scopes,
        expiresIn = DEFAULT_LIFETIME_MS,
        neverExpires,
        from,
        ...target
      }: CreateOptions) => {
        const expiresAt = neverExpires ? null : formatTimeFromNow(expiresIn);
        const createdToken = await withOrganization(target, ({ apiTokens }) =>
          apiTokens.create({ name, scopes: [...scopes], expiresAt, allowedAddresses: from && [...from] }),
        );
        output.note(
          expiresAt === null
            ? "the token never expires; revoke it when you no longer need it"
            : `the token expires at ${expiresAt}`,
        );
        output.result(createdToken.token);
      },
    );

  addCommand("list", "list tokens, oldest first, showing only the start of each token").action(
    async (target: CommandTarget) => {
      const tokens = await withOrganization(target, ({ apiTokens }) => apiTokens.list());
      const headings = ["ID", "NAME", "STARTS WITH", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "FROM"];
      printList(headings, tokens.map(toRow), `organization ${target.organization} has no tokens`, output);
    },
  );

  addCommand("created", "list what a token created, even if the token has been revoked")
    .argument("<id>", "token ID, as shown by token list or in the audit trail")
    .action(async (id: string, target: CommandTarget) => {
      const createdResources = await withResource({ kind: "token", id }, target, ({ apiTokens }) =>
        apiTokens.listCreated(id),
      );
      printList(
        ["TYPE", "ID", "NAME"],
        toResourceRows(createdResources),
        `nothing created by ${id} still exists`,
        output,
      );
    });

  addCommand("rotate", "rotate a token's secret and print the new one; it's shown only once")
    .argument("<id>", "token ID, as shown by token list")
    .addOption(
      createDurationOption(
        "--overlap",
        "how long the previous secret stays valid, such as 1h (maximum: 7d; default: 0)",
      ),
    )
    .addOption(createDurationOption("--expires-in", "new lifetime, starting now (default: unchanged)"))
    .action(async (id: string, { overlap = 0, expiresIn, ...target }: RotateOptions) => {
      const overlapSeconds = Math.ceil(overlap / 1_000);
      const expiry = expiresIn === undefined ? {} : { expiresAt: formatTimeFromNow(expiresIn) };
      const { token: secret, apiToken } = await withResource({ kind: "token", id }, target, ({ apiTokens }) =>
        apiTokens.rotate(id, { overlapSeconds, ...expiry }),
      );
      const { expiresAt } = apiToken;
      output.note(expiresAt === null ? "the token never expires" : `the token expires at ${expiresAt}`);
      output.result(secret);
    });

  addCommand("revoke", "immediately revoke a token on every running server")
    .argument("<id>", "token ID, as shown by token list")
    .action(async (id: string, target: CommandTarget) => {
      const { endedGrantIds, ...createdResources } = await withResource(
        { kind: "token", id },
        target,
        async ({ apiTokens }) => {
          await apiTokens.delete(id);
          return apiTokens.listCreated(id);
        },
      );
      output.result(`revoked ${id}`);
      const { length: endedCount } = endedGrantIds;
      if (endedCount > 0)
        output.note(`also revoked: ${endedCount === 1 ? "1 grant" : `${endedCount} grants`}`);
      const rows = toResourceRows({ ...createdResources, endedGrantIds: [] });
      if (rows.length > 0)
        output.note(
          `created with this token and still active: ${rows.map(([kind, resourceId]) => `${kind} ${resourceId}`).join(", ")}`,
        );
    });
}

function toRow(token: ApiToken): string[] {
  const { id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, allowedAddresses } = token;
  const times = [createdAt, lastUsedAt ?? "never", expiresAt ?? "never"];
  return [id, name, prefix, formatScopes(scopes), ...times, allowedAddresses?.join(",") ?? "anywhere"];
}

/** Returns one row for each resource that a token created, with its kind, its ID, and its name if it has one. */
function toResourceRows({
  apiTokens,
  apps,
  grants,
  endedGrantIds,
  webhookEndpointIds,
}: CreatedByToken): string[][] {
  return [
    ...apiTokens.map(({ id, name }) => ["token", id, name]),
    ...apps.map(({ id, name }) => ["app", id, name]),
    ...grants.map(({ id, subject }) => ["grant", id, subject]),
    ...endedGrantIds.map((id) => ["ended grant", id, ""]),
    ...webhookEndpointIds.map((id) => ["webhook endpoint", id, ""]),
  ];
}

function createDurationOption(name: string, description: string): Option {
  return new Option(`${name} <duration>`, description).argParser(
    createParser(parseDuration, "Use a number followed by s, m, h, or d, such as 90d."),
  );
}

function formatTimeFromNow(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}
