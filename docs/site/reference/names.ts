import ts from "typescript";
import manifest from "../../../package.json" with { type: "json" };
import {
  type PublicInterface,
  readPublicInterface,
  type Surface,
} from "../../../packaging/public-interface.js";
import { relativePath } from "../files.js";
import { Slugs } from "../slug.js";
import { indexUsers } from "./users.js";

/** An entry point as importers name it, such as `loyalty-kit/http`. */
export interface ReferenceEntry {
  readonly specifier: string;
  readonly address: string;
  /** The page of the types that exports stand on without being exported. */
  readonly beneath: string;
  readonly surface: Surface;
}

export interface Reference {
  readonly checker: ts.TypeChecker;
  readonly entries: readonly ReferenceEntry[];
  /** Where a declaration stands on the site. */
  readonly places: ReadonlyMap<ts.Symbol, string>;
  readonly byName: ReadonlyMap<string, string>;
  /** The nearest exports with an example that name a declaration, themselves or by other types. */
  readonly findUsers: (symbol: ts.Symbol) => readonly ts.Symbol[];
}

/** Gives every declaration of the public interface its place on the site. */
export function readReference(): Reference {
  const { checker, surfaces }: PublicInterface = readPublicInterface();
  const entries = surfaces.map((surface) => {
    const address = `reference/${surface.entry}.html`;
    const beneath = `reference/${surface.entry}-types.html`;
    return { specifier: getSpecifier(surface.entry), address, beneath, surface };
  });
  const places = new Map<ts.Symbol, string>();
  const byName = new Map<string, string>();
  for (const { surface, address, beneath } of entries) {
    for (const [page, sections] of [
      [address, groupExports(surface)],
      [beneath, groupTypesBeneath(surface)],
    ] as const) {
      const slugs = new Slugs();
      for (const symbol of sections.flatMap(({ symbols }) => symbols)) {
        const name = getName(symbol, surface);
        const place = `${page}#${slugs.create(name)}`;
        places.set(symbol, place);
        if (!byName.has(name)) byName.set(name, place);
      }
    }
  }
  return { checker, entries, places, byName, findUsers: indexUsers(checker, places) };
}

/** The declarations under one heading. */
export interface Declarations {
  readonly title: string;
  readonly symbols: readonly ts.Symbol[];
}

/** What an entry point exports, in the order of its page. */
export function groupExports(surface: Surface): readonly Declarations[] {
  const isType = (symbol: ts.Symbol) => /^[A-Z]/.test(getName(symbol, surface));
  const { exported } = surface;
  return filterFilled([
    {
      title: "Functions and values",
      symbols: sortSymbols(
        exported.filter((symbol) => !isType(symbol)),
        surface,
      ),
    },
    { title: "Classes and types", symbols: sortSymbols(exported.filter(isType), surface) },
  ]);
}

/** The types that exports stand on. */
export function groupTypesBeneath(surface: Surface): readonly Declarations[] {
  return filterFilled([{ title: "Types", symbols: sortSymbols(surface.beneath.filter(isOfTypes), surface) }]);
}

function filterFilled(sections: readonly Declarations[]): readonly Declarations[] {
  return sections.filter(({ symbols }) => symbols.length > 0);
}

function sortSymbols(symbols: readonly ts.Symbol[], surface: Surface): readonly ts.Symbol[] {
  return [...symbols].sort((a, b) => (getName(a, surface) < getName(b, surface) ? -1 : 1));
}

/** Schemas and tables that types are made of are left out: the types are shown whole. */
function isOfTypes({ flags }: ts.Symbol): boolean {
  return (flags & (ts.SymbolFlags.Type | ts.SymbolFlags.Function)) !== 0;
}

export function getName(symbol: ts.Symbol, { names }: Surface): string {
  return names.get(symbol) ?? symbol.name;
}

/** Turns names in code on a page into links, also to names on the same page. */
export function createLinks(address: string, { byName }: Reference): (name: string) => string | null {
  return (name) => {
    const place = byName.get(name);
    if (place === undefined) return null;
    const [page = "", section = ""] = place.split("#");
    return page === address ? `#${section}` : `${relativePath(page, address)}#${section}`;
  };
}

function getSpecifier(entry: string): string {
  const [path] =
    Object.entries(manifest.exports).find(([, target]) =>
      typeof target === "object" ? target.import.default === `./dist/${entry}.js` : false,
    ) ?? [];
  if (path === undefined) throw new Error(`package.json exports no ${entry}`);
  return `loyalty-kit${path.slice(1)}`;
}
