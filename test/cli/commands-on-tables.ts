import { join } from "node:path";

const guests = join(import.meta.dirname, "../../examples/marketing/guests.csv");

/** Commands that never change the schema, with their arguments except `--database`. */
export const commandsOnTables: readonly (readonly string[])[] = [
  ["token", "create", "--organization", "acme", "--name", "till", "--scopes", "all"],
  ["token", "list", "--organization", "acme"],
  [
    "app",
    "create",
    "--organization",
    "acme",
    "--name",
    "a",
    "--redirect-uri",
    "https://a.example",
    "--scopes",
    "all",
  ],
  ["app", "grants", "--organization", "acme"],
  ["audit", "verify", "--organization", "acme"],
  ["check"],
  ["check", "--repair"],
  ["export", "--organization", "acme"],
  [
    "segment",
    "count",
    "--organization",
    "acme",
    "--filter",
    '{"operator":"AND","conditions":[{"slug":"vip"}]}',
  ],
  ["tags", "--organization", "acme"],
  ["message", "list", "--organization", "acme"],
  ["settings", "--organization", "acme"],
  [
    "import",
    guests,
    "--encoding",
    "windows-1252",
    "--organization",
    "acme",
    "--map",
    "E-Mail=email",
    "--ignore-unknown",
  ],
];
