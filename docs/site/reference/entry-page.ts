import ts from "typescript";
import { nodesOf } from "../../../packaging/public-interface.js";
import type { Listed } from "../contents.js";
import { addressOf, wayTo } from "../files.js";
import { declaration } from "./declaration.js";
import { aboutNames } from "./examples.js";
import { pagesThatImport } from "./in-use.js";
import {
  type Declarations,
  linksFrom,
  nameOf,
  ofExports,
  ofTypesBeneath,
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
export function entryPages(entry: ReferenceEntry, all: Reference): readonly EntryPage[] {
  const { specifier, surface, address, beneath } = entry;
  const values = [...surface.names]
    .filter(([symbol]) => (symbol.flags & ts.SymbolFlags.Value) !== 0)
    .map(([, name]) => name)
    .sort();
  const [used, unused] = [true, false].map((isUsed) =>
    values.filter((name) => pagesThatImport(name, specifier).length > 0 === isUsed),
  );
  const first = [...(used ?? []), ...(unused ?? [])].slice(0, MOST_NAMES);
  const types = ofTypesBeneath(surface);
  const exports = [
    `# ${specifier}`,
    `\`\`\`ts\nimport { ${first.join(", ")} } from "${specifier}";\n\`\`\``,
    ...(surface.exported.some((symbol) => hasExample(symbol, all)) ? [aboutNames] : []),
    ...ofExports(surface).map((section) => written(section, address, entry, all)),
    ...elsewhere(entry, all),
    ...types.map(
      () => `## Beneath\n\n[More types](${wayTo(beneath, address)}) are named by these and have no export.`,
    ),
  ];
  return [
    { address, description: `Everything that ${specifier} exports.`, text: exports.join("\n\n") },
    ...types.map((section) => ({
      address: beneath,
      description: `Types that the exports of ${specifier} stand on.`,
      text: [
        `# Types beneath ${specifier}`,
        `[${specifier}](${wayTo(address, beneath)}) exports what stands on these types.`,
        written(section, beneath, entry, all),
      ].join("\n\n"),
    })),
  ];
}

/** Leads to exports that stand on the page of another entry point. */
function elsewhere({ surface, address }: ReferenceEntry, all: Reference): readonly string[] {
  const links = [...surface.elsewhere]
    // Tables that types are made of have no place: the types are shown whole.
    .filter(({ symbol }) => all.places.has(symbol))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, symbol }) => `- [\`${name}\`](${linkTo(symbol, address, all)})`);
  return links.length === 0 ? [] : ["## Exported here too", links.join("\n")];
}

function written(
  { title, symbols }: Declarations,
  address: string,
  entry: ReferenceEntry,
  all: Reference,
): string {
  return [`## ${title}`, ...symbols.map((symbol) => described(symbol, address, entry, all))].join("\n\n");
}

function described(
  symbol: ts.Symbol,
  address: string,
  { specifier, surface }: ReferenceEntry,
  all: Reference,
): string {
  const name = nameOf(symbol, surface);
  const link = linksFrom(address, all);
  const tags = symbol.getJsDocTags(all.checker);
  const named = (wanted: string) =>
    tags.filter((tag) => tag.name === wanted).map((tag) => prose(tag.text, link));
  const parameters = named("param").map((each) => {
    const [parameter = "", ...rest] = each.split(" ");
    return `- \`${parameter}\`: ${rest.join(" ").replace(/^- /, "")}`;
  });
  return [
    `### ${name}`,
    prose(symbol.getDocumentationComment(all.checker), link),
    ...named("deprecated").map((each) => `**Deprecated.** ${each}`),
    `\`\`\`ts\n${nodesOf(symbol)
      .map((node) => declaration(node, all.checker))
      .join("\n")}\n\`\`\``,
    parameters.join("\n"),
    ...named("returns").map((each) => `**Returns** ${each}`),
    ...named("throws").map((each) => `**Throws** ${each}`),
    ...named("example").map((each) => (each.includes("```") ? each : `\`\`\`ts\n${each}\n\`\`\``)),
    usedBy(symbol, address, all),
    inUse(pagesThatImport(name, specifier), address),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function hasExample(symbol: ts.Symbol, { checker }: Reference): boolean {
  return symbol.getJsDocTags(checker).some(({ name }) => name === "example");
}

/** Links an export without an example to exports with one that take it, return it, or reach it through other types. */
function usedBy(symbol: ts.Symbol, address: string, all: Reference): string {
  if (hasExample(symbol, all)) return "";
  const links = all
    .usersOf(symbol)
    .map((user) => `[\`${user.name}\`](${linkTo(user, address, all)})`)
    .slice(0, MOST_USERS);
  return links.length === 0 ? "" : `Example: ${links.join(", ")}`;
}

function linkTo(symbol: ts.Symbol, address: string, { places }: Reference): string {
  const [page = "", section = ""] = (places.get(symbol) ?? "").split("#");
  return page === address ? `#${section}` : `${wayTo(page, address)}#${section}`;
}

function inUse(pages: readonly Listed[], address: string): string {
  const links = pages.map(({ title, file }) => `[${title}](${wayTo(addressOf(file), address)})`);
  return links.length === 0 ? "" : `In use: ${links.join(", ")}`;
}

/** The text of a comment, in which `{@link X}` is a link to X. */
function prose(
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
