import { type Command, InvalidArgumentError, Option } from "commander";
import { cellText } from "../../csv/cells.js";
import { type Column, columnOf } from "../../csv/columns.js";
import { dayOrders } from "../../csv/dates.js";
import { encodingNamed, encodings } from "../../csv/encodings.js";
import type { ImportCommandOptions } from "../actions/import.js";
import { organizationCommand } from "../database/organization.js";
import type { Output } from "../terminal/output.js";
import { delimiterOf, reader } from "../terminal/values.js";

/** `loyalty-kit import` */
export function addImport(program: Command, output: Output): void {
  organizationCommand(program, "import", "create and update users from a CSV file", "whose users")
    .argument("<file>", "the file, whose first line has the headers; - for standard input")
    .addOption(
      new Option("--map <header=field>", "what a header stands for; may be given for each")
        .argParser(mapOf)
        .default(new Map(), "by their names"),
    )
    .option("--ignore-unknown", "leave out columns whose header stands for nothing")
    .option("--create-tags", "make the tags that do not exist")
    .addOption(
      new Option("--delimiter <character>", "what separates fields; found out unless given").argParser(
        delimiterOf,
      ),
    )
    .addOption(
      new Option("--encoding <name>", "text encoding, such as windows-1250 (default: detected)")
        .choices(encodings)
        .argParser(encodingOf),
    )
    .addOption(
      new Option("--dates <order>", "order of day and month in dates such as 1/2/2025").choices(dayOrders),
    )
    .addOption(
      new Option("--tag-separator <text>", "what separates the tags in a cell")
        .argParser(separatorOf)
        .default(";"),
    )
    .option("--template <id or name>", "of the cards of all rows that do not name one")
    .option(
      "--notify",
      "mail customers the link to each card that is new; without it an import mails nothing",
    )
    .option("--no-events", "tell nobody of what is imported")
    .addOption(
      new Option("--summary", "tell of all by one event, import.completed, in the end").conflicts("events"),
    )
    .option("--dry-run", "write nothing, and tell what an import would", false)
    .addHelpText(
      "after",
      `
Headers, in any case: email, name (or firstName and lastName), phone, externalId, tags and metadata.KEY.
emailConsent (subscribed or unsubscribed) with consentAt and consentText, and language such as de.
A user who has the row's externalId, or else its email, is updated. Empty cells change nothing.
Cards of another program: code, template, stamps, completions, rewards, lastStampAt, issuedAt, or history such as
2026-01-05 +3; 2026-02-01 redeem. joinedAt of the customer, whose rows then come oldest first. A card that is there from an import before stays as it is.`,
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      const { importFile } = await import("../actions/import.js");
      await importFile(file, options, output);
    });
}

/** Adds `HEADER=FIELD` to those given before. */
function mapOf(text: string, before: ReadonlyMap<string, Column>): ReadonlyMap<string, Column> {
  const end = text.lastIndexOf("=");
  const column = columnOf(text.slice(end + 1));
  if (end < 1 || column === null) {
    throw new InvalidArgumentError(
      "Give HEADER=FIELD, the field one of email, name, firstName, lastName, phone, externalId, tags, metadata.KEY, and those of consent and cards.",
    );
  }
  return new Map([...before, [cellText(text.slice(0, end)), column]]);
}

const encodingOf = reader(encodingNamed, `It must be one of ${encodings.join(", ")}.`);

const separatorOf = reader((text) => {
  if (text === "") return null;
  return text === "\\t" ? "\t" : text;
}, "It must not be empty.");
