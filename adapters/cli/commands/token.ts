import { type Command, Option } from "commander";
import type { ApiToken } from "../../../src/resources/api-token.js";
import type { CreatedByToken } from "../../../src/resources/created-by-token.js";
import type { Scope } from "../../../src/scopes.js";
import { inOrganization, organizationCommand, type Place, withId } from "../database/organization.js";
import { listOfScopes, scopesOption, scopesText } from "../terminal/options.js";
import { type Output, printList } from "../terminal/output.js";
import { durationMs, reader } from "../terminal/values.js";

interface CreateOptions extends Place {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresIn?: number;
  readonly neverExpires: boolean;
  readonly from?: readonly string[];
}

interface RotateOptions extends Place {
  readonly overlap?: number;
  readonly expiresIn?: number;
}

/** A token that nobody looks after any more should end some day. */
const YEAR_MS = 365 * 86_400_000;

/** `loyalty-kit token create | list | created | rotate | revoke` */
export function addToken(program: Command, output: Output): void {
  const token = program
    .command("token")
    .description("make, list, rotate and revoke API tokens of an organization, and see what they made");
  const command = (name: string, description: string) =>
    organizationCommand(token, name, description, "whose tokens");

  command("create", "make a token and print it, the only time that it is shown")
    .requiredOption("--name <text>", "what the token is for (required)")
    .addOption(scopesOption("what it may do"))
    .addOption(
      durationOption(
        "--expires-in",
        "how long it is valid, such as 90d, 1h or 30m; a year unless given",
      ).conflicts("neverExpires"),
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
      const expiresAt = neverExpires ? null : fromNow(expiresIn);
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

  command(
    "list",
    "show all tokens of an organization, oldest first, each by its first characters only",
  ).action(async (place: Place) => {
    const tokens = await inOrganization(place, ({ apiTokens }) => apiTokens.list());
    const headings = ["ID", "NAME", "BEGINS WITH", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "FROM"];
    printList(headings, tokens.map(rowOf), `organization ${place.organization} has no tokens`, output);
  });

  command(
    "created",
    "show what a token has made that is there still, and which grants have ended, also when it is revoked",
  )
    .argument("<id>", "the token's id, as the list or the audit trail shows it")
    .action(async (id: string, place: Place) => {
      const made = await withId("token", id, place, ({ apiTokens }) => apiTokens.listCreated(id));
      printList(["WHAT", "ID", "NAME"], rowsOf(made), `nothing is there that was made with ${id}`, output);
    });

  command("rotate", "give a token another secret and print it, the only time that it is shown")
    .argument("<id>", "the token's id, as the list shows it")
    .addOption(
      durationOption(
        "--overlap",
        "how long the secret before is good beside it, such as 1h; a week at most, not at all unless given",
      ),
    )
    .addOption(durationOption("--expires-in", "how long it is valid from now; as it was unless given"))
    .action(async (id: string, { overlap = 0, expiresIn, ...place }: RotateOptions) => {
      const overlapSeconds = Math.ceil(overlap / 1_000);
      const expiry = expiresIn === undefined ? {} : { expiresAt: fromNow(expiresIn) };
      const { token: secret, apiToken } = await withId("token", id, place, ({ apiTokens }) =>
        apiTokens.rotate(id, { overlapSeconds, ...expiry }),
      );
      const { expiresAt } = apiToken;
      output.note(expiresAt === null ? "the token never expires" : `the token expires at ${expiresAt}`);
      output.result(secret);
    });

  command("revoke", "end a token, at once and in every running server")
    .argument("<id>", "the token's id, as the list shows it")
    .action(async (id: string, place: Place) => {
      const { endedGrantIds, ...made } = await withId("token", id, place, async ({ apiTokens }) => {
        await apiTokens.delete(id);
        return apiTokens.listCreated(id);
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

function rowOf(token: ApiToken): string[] {
  const { id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, allowedAddresses } = token;
  const times = [createdAt, lastUsedAt ?? "never", expiresAt ?? "never"];
  return [id, name, prefix, scopesText(scopes), ...times, allowedAddresses?.join(",") ?? "everywhere"];
}

/** A row for each thing that a token made: its kind, its id and its name, if it has one. */
function rowsOf({ apiTokens, apps, grants, endedGrantIds, webhookEndpointIds }: CreatedByToken): string[][] {
  return [
    ...apiTokens.map(({ id, name }) => ["token", id, name]),
    ...apps.map(({ id, name }) => ["app", id, name]),
    ...grants.map(({ id, subject }) => ["grant", id, subject]),
    ...endedGrantIds.map((id) => ["ended grant", id, ""]),
    ...webhookEndpointIds.map((id) => ["webhook endpoint", id, ""]),
  ];
}

function durationOption(name: string, description: string): Option {
  return new Option(`${name} <duration>`, description).argParser(
    reader(durationMs, "Give a number and one of s, m, h and d, such as 90d."),
  );
}

function fromNow(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}
