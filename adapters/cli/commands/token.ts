import { type Command, InvalidArgumentError, Option } from "commander";
import type { ApiToken } from "../../../src/resources/api-token.js";
import type { MadeByToken } from "../../../src/resources/made-by-token.js";
import type { Scope } from "../../../src/scopes.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { withId } from "../database/with-id.js";
import { durationMs } from "../terminal/duration.js";
import { organizationOption } from "../terminal/organization.js";
import { type Output, oneLine } from "../terminal/output.js";
import { listOfScopes, scopesOption, scopesText } from "../terminal/scopes-option.js";
import { tableOf } from "../terminal/table.js";

interface TokenOptions {
  readonly database: Database;
  readonly organization: string;
}

interface CreateOptions extends TokenOptions {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresIn?: number;
  readonly neverExpires: boolean;
  readonly from?: readonly string[];
}

interface RotateOptions extends TokenOptions {
  readonly overlap?: number;
  readonly expiresIn?: number;
}

/** A token that nobody looks after any more should end some day. */
const YEAR_MS = 365 * 86_400_000;

/** `loyalty-kit token create | list | made | rotate | revoke` */
export function addToken(program: Command, output: Output): void {
  const token = program
    .command("token")
    .description("make, list, rotate and revoke API tokens of an organization, and see what they made");

  token
    .command("create")
    .description("make a token and print it, the only time that it is shown")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tokens"))
    .requiredOption("--name <text>", "what the token is for (required)")
    .addOption(scopesOption("what it may do"))
    .addOption(
      new Option(
        "--expires-in <duration>",
        "how long it is valid, such as 90d, 1h or 30m; a year unless given",
      )
        .argParser(parseDuration)
        .conflicts("neverExpires"),
    )
    .option("--never-expires", "make a token that is valid until it is revoked", false)
    .addOption(
      new Option(
        "--from <addresses>",
        "IP addresses and networks, separated by commas, from which alone it may be used; from everywhere unless given",
      ).argParser((text: string) => text.split(",").map((part) => part.trim())),
    )
    .addHelpText("after", listOfScopes)
    .action(async ({ name, scopes, expiresIn = YEAR_MS, neverExpires, from, ...place }: CreateOptions) => {
      const expiresAt = neverExpires ? null : new Date(Date.now() + expiresIn).toISOString();
      const created = await inOrganization(place, ({ apiTokens }) =>
        apiTokens.create({ name, scopes: [...scopes], expiresAt, allowedAddresses: from && [...from] }),
      );
      output.note(
        expiresAt === null
          ? "the token never expires: revoke it when nothing uses it any more"
          : `the token expires at ${expiresAt}`,
      );
      output.result(created.token);
    });

  token
    .command("list")
    .description("show all tokens of an organization, oldest first, each by its first characters only")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tokens"))
    .action(async (place: TokenOptions) => {
      const tokens = await inOrganization(place, ({ apiTokens }) => apiTokens.list());
      if (tokens.length === 0) output.note(`organization ${oneLine(place.organization)} has no tokens`);
      else for (const line of tableOf([headings, ...tokens.map(rowOf)])) output.result(line);
    });

  token
    .command("made")
    .description(
      "show what a token has made that is there still, and which grants have ended, also when it is revoked",
    )
    .argument("<id>", "the token's id, as the list or the audit trail shows it")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tokens"))
    .action(async (id: string, place: TokenOptions) => {
      const made = await withId("token", id, place, ({ apiTokens }) => apiTokens.made(id));
      const rows = rowsOf(made);
      if (rows.length === 0) output.note(`nothing is there that was made with ${oneLine(id)}`);
      else for (const line of tableOf([["WHAT", "ID", "NAME"], ...rows])) output.result(line);
    });

  token
    .command("rotate")
    .description("give a token another secret and print it, the only time that it is shown")
    .argument("<id>", "the token's id, as the list shows it")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tokens"))
    .addOption(
      new Option(
        "--overlap <duration>",
        "how long the secret before is good beside it, such as 1h; a week at most, not at all unless given",
      ).argParser(parseDuration),
    )
    .addOption(
      new Option(
        "--expires-in <duration>",
        "how long it is valid from now; as it was unless given",
      ).argParser(parseDuration),
    )
    .action(async (id: string, { overlap = 0, expiresIn, ...place }: RotateOptions) => {
      const expiry =
        expiresIn === undefined ? {} : { expiresAt: new Date(Date.now() + expiresIn).toISOString() };
      const overlapSeconds = Math.ceil(overlap / 1_000);
      const { token: secret, apiToken } = await withId("token", id, place, ({ apiTokens }) =>
        apiTokens.rotate(id, { overlapSeconds, ...expiry }),
      );
      const { expiresAt } = apiToken;
      output.note(expiresAt === null ? "the token never expires" : `the token expires at ${expiresAt}`);
      output.result(secret);
    });

  token
    .command("revoke")
    .description("end a token, at once and in every running server")
    .argument("<id>", "the token's id, as the list shows it")
    .addOption(databaseOption())
    .addOption(organizationOption("whose tokens"))
    .action(async (id: string, place: TokenOptions) => {
      const { endedGrantIds, ...made } = await withId("token", id, place, async ({ apiTokens }) => {
        await apiTokens.delete(id);
        return apiTokens.made(id);
      });
      output.result(`revoked ${id}`);
      const { length: ended } = endedGrantIds;
      if (ended > 0)
        output.note(`with it ended what it let in: ${ended === 1 ? "1 grant" : `${ended} grants`}`);
      const left = rowsOf({ ...made, endedGrantIds: [] });
      if (left.length > 0)
        output.note(`what it made stays: ${left.map(([what, of]) => `${what} ${of}`).join(", ")}`);
    });
}

const headings = ["ID", "NAME", "BEGINS WITH", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "FROM"];

function rowOf(token: ApiToken): string[] {
  const { id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, allowedAddresses } = token;
  const times = [createdAt, lastUsedAt ?? "never", expiresAt ?? "never"];
  return [id, name, prefix, scopesText(scopes), ...times, allowedAddresses?.join(",") ?? "everywhere"];
}

/** What it is, its id and its name, if it has one. */
function rowsOf({ apiTokens, apps, grants, endedGrantIds, webhookEndpointIds }: MadeByToken): string[][] {
  return [
    ...apiTokens.map(({ id, name }) => ["token", id, name]),
    ...apps.map(({ id, name }) => ["app", id, name]),
    ...grants.map(({ id, subject }) => ["grant", id, subject]),
    ...endedGrantIds.map((id) => ["ended grant", id, ""]),
    ...webhookEndpointIds.map((id) => ["webhook endpoint", id, ""]),
  ];
}

function parseDuration(text: string): number {
  const ms = durationMs(text);
  if (ms === null) throw new InvalidArgumentError("Give a number and one of s, m, h and d, such as 90d.");
  return ms;
}
