import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { serverSettings } from "../adapters/apps/cli/server/settings.js";
import { createOption, toVariableName } from "../adapters/apps/cli/terminal/setting.js";

const beginning = `# Settings

<!-- made from the definitions in the code by npm run docs:pages -->

## The server

\`loyalty-kit serve\` takes each setting as an option or from the environment. The option wins. A flag is \`true\` or \`false\` in the
environment. An option that may be repeated takes one value from the environment.

| Variable | Option | Default | What it sets |
| --- | --- | --- | --- |
| \`LOYALTY_DATABASE\` | \`--database\` | required | path to a SQLite file, or a postgres:// URL |
| \`LOYALTY_ORGANIZATION\` | \`--organization\` | required | the organization that a command works on; \`serve\` has none |
| \`LOYALTY_OAUTH_KEY\` |  |  | a secret of at least 32 bytes for the sign-in and the consent page, the same in all processes |
| \`LOYALTY_SECRET_KEYS\` |  |  | a secret of at least 32 bytes that seals stored secrets; earlier keys stand behind it, after a comma |`;

/** Where the options of a service are declared, and what stands before their names. */
const optionTables = [
  { file: "src/loyalty-options.ts", type: "LoyaltyOptions", prefix: "" },
  { file: "src/kernel/limits.ts", type: "RetentionOptions", prefix: "retention." },
  { file: "src/kernel/limits.ts", type: "OrganizationLimits", prefix: "limits." },
  { file: "src/webhooks/options.ts", type: "WebhookOptions", prefix: "webhooks." },
];

/** Makes docs/settings.md: the settings of the server and the options of a service. */
export function renderSettingsPage(): string {
  const ofServer = Object.entries(serverSettings).map(([name, setting]) => {
    const usual = "usual" in setting ? (setting.usual?.text ?? "") : "";
    return `| \`${toVariableName(name)}\` | \`${createOption(name, setting).long}\` | ${usual} | ${renderCell(setting.help)} |`;
  });
  const ofService = optionTables.flatMap(({ file, type, prefix }) =>
    listMembers(file, type).map(({ name, text }) => `| \`${prefix}${name}\` | ${renderCell(text)} |`),
  );
  return `${[
    [beginning, ...ofServer].join("\n"),
    "## The service",
    "`new LoyaltyService(options)` takes these. The [reference](library.md) says how they are used.",
    ["| Option | What it sets |", "| --- | --- |", ...ofService].join("\n"),
  ].join("\n\n")}\n`;
}

function listMembers(
  file: string,
  type: string,
): readonly { readonly name: string; readonly text: string }[] {
  const text = readFileSync(join(import.meta.dirname, "..", file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === type,
  );
  if (found === undefined || !ts.isInterfaceDeclaration(found))
    throw new Error(`${file} declares no ${type}`);
  return found.members.map((member) => {
    const name = member.name?.getText() ?? "";
    const [comment] = ts.getJSDocCommentsAndTags(member);
    const description = comment === undefined ? "" : (ts.getTextOfJSDocComment(comment.comment) ?? "");
    return { name, text: description.replaceAll(/\{@link (?:\S+\.)?([^}]+)\}/g, "`$1`") };
  });
}

function renderCell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
