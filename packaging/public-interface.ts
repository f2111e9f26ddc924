import { join, relative, sep } from "node:path";
import ts from "typescript";
import { entryPoints } from "./entry-points.js";

/** The folder with tsc's declarations, one file per source file. The build creates it. */
const folder = join(import.meta.dirname, "../.types");

/** The declarations that an entry point exports, and the unexported ones that they refer to. */
export interface Surface {
  /** Name of the entry point's built file, without its extension. */
  readonly entry: string;
  readonly module: ts.Symbol;
  /** All exported symbols, each mapped to the name that importers use. */
  readonly names: ReadonlyMap<ts.Symbol, string>;
  /** The exported symbols that no earlier entry point exports or refers to. */
  readonly exported: readonly ts.Symbol[];
  readonly beneath: readonly ts.Symbol[];
  /** The exported symbols that an earlier entry point already exports or refers to, each with the name of that entry point. */
  readonly elsewhere: readonly {
    readonly name: string;
    readonly symbol: ts.Symbol;
    readonly entry: string;
  }[];
}

export interface PublicInterface {
  readonly checker: ts.TypeChecker;
  readonly surfaces: readonly Surface[];
}

/**
 * Reads the package's public interface from tsc's declarations. A declaration that several entry points share belongs to the first
 * one.
 */
export function readPublicInterface(): PublicInterface {
  const files = Object.entries(entryPoints).map(
    ([name, source]) => [name, join(folder, source.replace(/\.ts$/, ".d.ts"))] as const,
  );
  const program = ts.createProgram(
    files.map(([, file]) => file),
    {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      types: ["node"],
      noEmit: true,
      skipLibCheck: true,
      strict: true,
    },
  );
  const checker = program.getTypeChecker();
  const owners = new Map<ts.Symbol, string>();
  const surfaces = files.map(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is missing: run npm run build`);
    const names = new Map(
      checker.getExportsOfModule(module).map((found) => [resolveAlias(checker, found), found.name] as const),
    );
    const elsewhere = [...names].flatMap(([symbol, name]) => {
      const first = owners.get(symbol);
      return first === undefined ? [] : [{ name, symbol, entry: first }];
    });
    const own = [...names.keys()].filter((symbol) => !owners.has(symbol));
    const { exported, beneath } = createSurface(checker, own, owners);
    for (const symbol of [...exported, ...beneath]) owners.set(symbol, entry);
    return { entry, module, names, exported, beneath, elsewhere };
  });
  return { checker, surfaces };
}

/** Collects everything that the exported declarations refer to, except for symbols that an earlier entry point owns. */
function createSurface(
  checker: ts.TypeChecker,
  exported: readonly ts.Symbol[],
  owners: ReadonlyMap<ts.Symbol, string>,
): Pick<Surface, "exported" | "beneath"> {
  const found = new Set(exported);
  for (const symbol of found) {
    for (const reference of findReferences(symbol, checker))
      if (isTopLevel(reference) && !owners.has(reference)) found.add(reference);
  }
  return {
    exported: exported.filter((symbol) => listNodes(symbol).length > 0),
    beneath: [...found].filter((each) => !exported.includes(each)),
  };
}

/** Returns the symbols that a symbol's declarations refer to, for example in the types of parameters and fields. */
export function findReferences(symbol: ts.Symbol, checker: ts.TypeChecker): ReadonlySet<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  for (const node of listNodes(symbol)) {
    forEachReference(node, (reference) => {
      const target = checker.getSymbolAtLocation(reference);
      if (target !== undefined) found.add(resolveAlias(checker, target));
    });
  }
  return found;
}

/** Resolves a re-exported name to the symbol that it was declared as. */
function resolveAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function forEachReference(node: ts.Node, visit: (reference: ts.Node) => void): void {
  if (isHidden(node)) return;
  if (ts.isIdentifier(node)) visit(node);
  ts.forEachChild(node, (child) => forEachReference(child, visit));
}

const hidden: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
]);

/** Returns whether a class member is private or protected. */
export function isHidden(node: ts.Node): boolean {
  if (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)) return true;
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => hidden.has(kind));
}

function isTopLevel(symbol: ts.Symbol): boolean {
  return listNodes(symbol).some((node) => ts.isSourceFile(node.parent));
}

/** Returns a symbol's declarations in this package, leaving out dependencies and TypeScript's own libraries. */
export function listNodes(symbol: ts.Symbol): readonly ts.Node[] {
  return (symbol.declarations ?? [])
    .filter((node) => node.getSourceFile().fileName.startsWith(folder.split(sep).join("/")))
    .map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node));
}

/** Sorts symbols by name. If two have the same name, sorts them by file. */
export function sortSymbols(symbols: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const sortKey = (symbol: ts.Symbol) => `${symbol.name} ${getFile(symbol)}`;
  return [...symbols].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function getFile(symbol: ts.Symbol): string {
  const [node] = listNodes(symbol);
  return node === undefined ? "" : relative(folder, node.getSourceFile().fileName).replace(/\.d\.ts$/, ".ts");
}
