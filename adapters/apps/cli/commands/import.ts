import { type Command, InvalidArgumentError, Option } from "commander";
import { cellText } from "../../csv/cells.js";
import { type CsvColumn, parseHeader } from "../../csv/columns.js";
import { dayOrders } from "../../csv/dates.js";
import { encodings, findEncoding } from "../../csv/encodings.js";
import type { ImportCommandOptions } from "../actions/import.js";
import { addOrganizationCommand } from "../database/organization.js";
import type { Output } from "../terminal/output.js";
import { createParser, parseDelimiter } from "../terminal/values.js";

/** Adds `loyalty-kit import`, which imports customers from a CSV file. */
export function addImport(program: Command, output: Output): void {
  addOrganizationCommand(program, "import", "create or update users from a CSV file")
    .argument("<file>", 'CSV file with headers in the first line (use "-" to read from standard input)')
    .addOption(
      new Option("--map <header=field>", "map a header to a field; can be repeated")
        .argParser(parseMapping)
        .default(new Map(), "header names"),
    )
    .option("--ignore-unknown", "skip columns with unknown headers")
    .option("--create-tags", "create missing tags")
    .addOption(
      new Option("--delimiter <character>", "field separator (default: detected automatically)").argParser(
        parseDelimiter,
      ),
    )
    .addOption(
      new Option("--encoding <name>", "text encoding, such as windows-1250 (default: detected automatically)")
        .choices(encodings)
        .argParser(parseEncoding),
    )
    .addOption(
      new Option("--dates <order>", "day and month order in dates such as 1/2/2025").choices(dayOrders),
    )
    .addOption(
      new Option("--tag-separator <text>", "separator between tags in a cell")
        .argParser(parseSeparator)
        .default(";"),
    )
    .option("--template <id or name>", "template for cards whose rows don't specify one")
    .option("--notify", "email customers a link to each new card (default: no emails)")
    .option("--no-events", "don't emit events")
    .addOption(
      new Option("--summary", "emit only one event, import.completed, at the end").conflicts("events"),
    )
    .option("--dry-run", "show what would change without writing anything", false)
    .addHelpText(
      "after",
      `
Supported headers (case-insensitive): email, name (or firstName and lastName), phone, externalId, tags, metadata.KEY, language (such as de),
and emailConsent (subscribed or unsubscribed) with consentAt and consentText.
Each row updates the user with the same externalId or, if there is none, the user with the same email. Empty cells change nothing.
To import cards from another program, use code, template, stamps, completions, rewards, lastStampAt, and issuedAt, or a history such as
2026-01-05 +3; 2026-02-01 redeem. For cards with points, use points and pointsExpireAt. If you use joinedAt, sort the rows oldest first. Cards from an earlier import aren't changed.`,
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      const { importFile } = await import("../actions/import.js");
      await importFile(file, options, output);
    });
}

/** Adds a `HEADER=FIELD` pair to the earlier ones. */
function parseMapping(
  text: string,
  previous: ReadonlyMap<string, CsvColumn>,
): ReadonlyMap<string, CsvColumn> {
  const separatorIndex = text.lastIndexOf("=");
  const column = parseHeader(text.slice(separatorIndex + 1));
  if (separatorIndex < 1 || column === null) {
    throw new InvalidArgumentError(
      "Use HEADER=FIELD, where FIELD is email, name, firstName, lastName, phone, externalId, tags, metadata.KEY, or a consent or card field.",
    );
  }
  return new Map([...previous, [cellText(text.slice(0, separatorIndex)), column]]);
}

const parseEncoding = createParser(findEncoding, `It must be one of ${encodings.join(", ")}.`);

const parseSeparator = createParser((text) => {
  if (text === "") return null;
  return text === "\\t" ? "\t" : text;
}, "It must not be empty.");
