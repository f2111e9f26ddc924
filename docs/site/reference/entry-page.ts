import ts from "typescript";
import { listNodes } from "../../../packaging/public-interface.js";
import type { Listed } from "../contents.js";
import { getAddress, relativePath } from "../files.js";
import { renderDeclaration } from "./declaration.js";
import { aboutNames } from "./examples.js";
import { findImportingPages } from "./in-use.js";
import {
  createLinks,
  type Declarations,
  getName,
  groupExports,
  groupTypesBeneath,
  type Reference,
  type ReferenceEntry,
} from "./names.js";

/** The most examples of other exports under an export that has none. */
const MOST_USERS = 3;

/** The most names in the line that imports. */
const MOST_NAMES = 4;

interface EntryPage {
  readonly address: string;
  readonly description: string;
  readonly text: string;
}

/** Writes the pages of an entry point in Markdown, from the declarations and their doc comments. */
export function renderEntryPages(entry: ReferenceEntry, all: Reference): readonly EntryPage[] {
  const { specifier, surface, address, beneath } = entry;
  const values = [...surface.names]
    .filter(([symbol]) => (symbol.flags & ts.SymbolFlags.Value) !== 0)
    .map(([, name]) => name)
    .sort();
  const [used, unused] = [true, false].map((isUsed) =>
    values.filter((name) => findImportingPages(name, specifier).length > 0 === isUsed),
  );
  const first = [...(used ?? []), ...(unused ?? [])].slice(0, MOST_NAMES);
  const types = groupTypesBeneath(surface);
  const exports = [
    `# ${specifier}`,
    `\`\`\`ts\nimport { ${first.join(", ")} } from "${specifier}";\n\`\`\``,
    ...(surface.exported.some((symbol) => hasExample(symbol, all)) ? [aboutNames] : []),
    ...groupExports(surface).map((section) => renderSection(section, address, entry, all)),
    ...renderElsewhere(entry, all),
    ...types.map(
      () =>
        `## Beneath\n\n[More types](${relativePath(beneath, address)}) are named by these and have no export.`,
    ),
  ];
  return [
    { address, description: `Everything that ${specifier} exports.`, text: exports.join("\n\n") },
    ...types.map((section) => ({
      address: beneath,
      description: `Types that the exports of ${specifier} stand on.`,
      text: [
        `# Types beneath ${specifier}`,
        `[${specifier}](${relativePath(address, beneath)}) exports what stands on these types.`,
        renderSection(section, beneath, entry, all),
      ].join("\n\n"),
    })),
  ];
}

/** Leads to exports that stand on the page of another entry point. */
function renderElsewhere({ surface, address }: ReferenceEntry, all: Reference): readonly string[] {
  const links = [...surface.elsewhere]
    // Tables that types are made of have no place: the types are shown whole.
    .filter(({ symbol }) => all.places.has(symbol))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, symbol }) => `- [\`${name}\`](${createLink(symbol, address, all)})`);
  return links.length === 0 ? [] : ["## Exported here too", links.join("\n")];
}

function renderSection(
  { title, symbols }: Declarations,
  address: string,
  entry: ReferenceEntry,
  all: Reference,
): string {
  return [`## ${title}`, ...symbols.map((symbol) => renderSymbol(symbol, address, entry, all))].join("\n\n");
}

function renderSymbol(
  symbol: ts.Symbol,
  address: string,
  { specifier, surface }: ReferenceEntry,
  all: Reference,
): string {
  const name = getName(symbol, surface);
  const link = createLinks(address, all);
  const tags = symbol.getJsDocTags(all.checker);
  const listTagTexts = (wanted: string) =>
    tags.filter((tag) => tag.name === wanted).map((tag) => renderProse(tag.text, link));
  const parameters = listTagTexts("param").map((each) => {
    const [parameter = "", ...rest] = each.split(" ");
    return `- \`${parameter}\`: ${rest.join(" ").replace(/^- /, "")}`;
  });
  return [
    `### ${name}`,
    renderProse(symbol.getDocumentationComment(all.checker), link),
    ...listTagTexts("deprecated").map((each) => `**Deprecated.** ${each}`),
    `\`\`\`ts\n${listNodes(symbol)
      .map((node) => renderDeclaration(node, all.checker))
      .join("\n")}\n\`\`\``,
    parameters.join("\n"),
    ...listTagTexts("returns").map((each) => `**Returns** ${each}`),
    ...listTagTexts("throws").map((each) => `**Throws** ${each}`),
    ...listTagTexts("example").map((each) => (each.includes("```") ? each : `\`\`\`ts\n${each}\n\`\`\``)),
    renderUsers(symbol, address, all),
    renderInUse(findImportingPages(name, specifier), address),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function hasExample(symbol: ts.Symbol, { checker }: Reference): boolean {
  return symbol.getJsDocTags(checker).some(({ name }) => name === "example");
}

/** Links an export without an example to exports with one that take it, return it, or reach it through other types. */
function renderUsers(symbol: ts.Symbol, address: string, all: Reference): string {
  if (hasExample(symbol, all)) return "";
  const links = all
    .findUsers(symbol)
    .map((user) => `[\`${user.name}\`](${createLink(user, address, all)})`)
    .slice(0, MOST_USERS);
  return links.length === 0 ? "" : `Example: ${links.join(", ")}`;
}

function createLink(symbol: ts.Symbol, address: string, { places }: Reference): string {
  const [page = "", section = ""] = (places.get(symbol) ?? "").split("#");
  return page === address ? `#${section}` : `${relativePath(page, address)}#${section}`;
}

function renderInUse(pages: readonly Listed[], address: string): string {
  const links = pages.map(({ title, file }) => `[${title}](${relativePath(getAddress(file), address)})`);
  return links.length === 0 ? "" : `In use: ${links.join(", ")}`;
}

/** The text of a comment, in which `{@link X}` is a link to X. */
function renderProse(
  parts: readonly ts.SymbolDisplayPart[] | undefined,
  link: (name: string) => string | null,
): string {
  const text = ts.displayPartsToString([...(parts ?? [])]);
  return text.replaceAll(
    /\{@link(?:code)? ([\w.]+)(?:[ |]([^}]*))?\}/g,
    (_, target: string, shown?: string) => {
      const [name = ""] = target.split(".");
      const address = link(name);
      const label = shown === undefined || shown.trim() === "" ? `\`${target}\`` : shown;
      return address === null ? label : `[${label}](${address})`;
    },
  );
}
