import ts from "typescript";
import manifest from "../../../package.json" with { type: "json" };
import { type PublicInterface, publicInterface, type Surface } from "../../../packaging/public-interface.js";
import { wayTo } from "../files.js";
import { Slugs } from "../slug.js";
import { usersIn } from "./users.js";

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
  readonly usersOf: (symbol: ts.Symbol) => readonly ts.Symbol[];
}

/** Gives every declaration of the public interface its place on the site. */
export function reference(): Reference {
  const { checker, surfaces }: PublicInterface = publicInterface();
  const entries = surfaces.map((surface) => {
    const address = `reference/${surface.entry}.html`;
    const beneath = `reference/${surface.entry}-types.html`;
    return { specifier: specifierOf(surface.entry), address, beneath, surface };
  });
  const places = new Map<ts.Symbol, string>();
  const byName = new Map<string, string>();
  for (const { surface, address, beneath } of entries) {
    for (const [page, sections] of [
      [address, ofExports(surface)],
      [beneath, ofTypesBeneath(surface)],
    ] as const) {
      const slugs = new Slugs();
      for (const symbol of sections.flatMap(({ symbols }) => symbols)) {
        const name = nameOf(symbol, surface);
        const place = `${page}#${slugs.of(name)}`;
        places.set(symbol, place);
        if (!byName.has(name)) byName.set(name, place);
      }
    }
  }
  return { checker, entries, places, byName, usersOf: usersIn(checker, places) };
}

/** The declarations under one heading. */
export interface Declarations {
  readonly title: string;
  readonly symbols: readonly ts.Symbol[];
}

/** What an entry point exports, in the order of its page. */
export function ofExports(surface: Surface): readonly Declarations[] {
  const isType = (symbol: ts.Symbol) => /^[A-Z]/.test(nameOf(symbol, surface));
  const { exported } = surface;
  return some([
    {
      title: "Functions and values",
      symbols: sorted(
        exported.filter((symbol) => !isType(symbol)),
        surface,
      ),
    },
    { title: "Classes and types", symbols: sorted(exported.filter(isType), surface) },
  ]);
}

/** The types that exports stand on. */
export function ofTypesBeneath(surface: Surface): readonly Declarations[] {
  return some([{ title: "Types", symbols: sorted(surface.beneath.filter(isOfTypes), surface) }]);
}

function some(sections: readonly Declarations[]): readonly Declarations[] {
  return sections.filter(({ symbols }) => symbols.length > 0);
}

function sorted(symbols: readonly ts.Symbol[], surface: Surface): readonly ts.Symbol[] {
  return [...symbols].sort((a, b) => (nameOf(a, surface) < nameOf(b, surface) ? -1 : 1));
}

/** Schemas and tables that types are made of are left out: the types are shown whole. */
function isOfTypes({ flags }: ts.Symbol): boolean {
  return (flags & (ts.SymbolFlags.Type | ts.SymbolFlags.Function)) !== 0;
}

export function nameOf(symbol: ts.Symbol, { names }: Surface): string {
  return names.get(symbol) ?? symbol.name;
}

/** Turns names in code on a page into links, also to names on the same page. */
export function linksFrom(address: string, { byName }: Reference): (name: string) => string | null {
  return (name) => {
    const place = byName.get(name);
    if (place === undefined) return null;
    const [page = "", section = ""] = place.split("#");
    return page === address ? `#${section}` : `${wayTo(page, address)}#${section}`;
  };
}

function specifierOf(entry: string): string {
  const [path] =
    Object.entries(manifest.exports).find(([, target]) =>
      typeof target === "object" ? target.import.default === `./dist/${entry}.js` : false,
    ) ?? [];
  if (path === undefined) throw new Error(`package.json exports no ${entry}`);
  return `loyalty-kit${path.slice(1)}`;
}
