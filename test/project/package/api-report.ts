import { join, relative, sep } from "node:path";
import ts from "typescript";
import { entryPoints } from "../../../packaging/entry-points.js";
import { root } from "../imports.js";

/** The build leaves here what tsc has declared, a file for each of ours. */
const folder = join(root, ".types");

/** What an entry point exports, and what these declarations stand on without being exported. */
interface Surface {
  readonly exported: readonly ts.Symbol[];
  readonly beneath: readonly ts.Symbol[];
}

/**
 * Writes down the public interface: a text for each entry point with the declarations of all that it exports, without
 * comments and members that are private or protected, and of our types that these name. A declaration stands in the text of the first entry point
 * that leads to it.
 */
export function apiReports(): ReadonlyMap<string, string> {
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
  const seen = new Map<ts.Symbol, string>();
  return new Map(
    files.map(([name, file]) => {
      const source = program.getSourceFile(file);
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${file} is missing: run npm run build`);
      return [name, textOf(name, checker, module, seen)];
    }),
  );
}

function textOf(
  entry: string,
  checker: ts.TypeChecker,
  module: ts.Symbol,
  seen: Map<ts.Symbol, string>,
): string {
  const exports = checker
    .getExportsOfModule(module)
    .map((found) => [found.name, original(checker, found)] as const);
  const elsewhere = exports.flatMap(([name, symbol]) => {
    const first = seen.get(symbol);
    return first === undefined ? [] : [`${name} (${first})`];
  });
  const { exported, beneath } = surfaceOf(
    checker,
    exports.map(([, symbol]) => symbol).filter((symbol) => !seen.has(symbol)),
    seen,
  );
  for (const symbol of [...exported, ...beneath]) seen.set(symbol, entry);
  const named = new Map(exports.map(([name, symbol]) => [symbol, name]));
  const alias = (symbol: ts.Symbol) => {
    const name = named.get(symbol) ?? symbol.name;
    return name === symbol.name ? "" : `// exported as ${name}\n`;
  };
  const section = (title: string, symbols: readonly ts.Symbol[]) => {
    const code = inOrder(symbols).map((symbol) => alias(symbol) + declared(symbol));
    return code.length === 0 ? [] : [`## ${title}`, `\`\`\`ts\n${code.join("\n\n")}\n\`\`\``];
  };
  return [
    `# ${entry}`,
    ...section("Exported", exported),
    ...(elsewhere.length === 0 ? [] : ["## Exported, and written down elsewhere", inLines(elsewhere.sort())]),
    ...section("Beneath", beneath),
  ]
    .join("\n\n")
    .concat("\n");
}

function inLines(names: readonly string[]): string {
  return names.map((name) => `- ${name}`).join("\n");
}

/** Follows what declarations name, and leaves out what is written down already. */
function surfaceOf(
  checker: ts.TypeChecker,
  exported: readonly ts.Symbol[],
  seen: ReadonlyMap<ts.Symbol, string>,
): Surface {
  const found = new Set(exported);
  for (const symbol of found) {
    for (const node of nodesOf(symbol)) {
      forEachReference(node, (reference) => {
        const target = checker.getSymbolAtLocation(reference);
        if (target === undefined) return;
        const named = original(checker, target);
        if (isTopLevel(named) && !seen.has(named)) found.add(named);
      });
    }
  }
  return {
    exported: exported.filter((symbol) => nodesOf(symbol).length > 0),
    beneath: [...found].filter((each) => !exported.includes(each)),
  };
}

/** Follows a name that is exported again to where it is declared. */
function original(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function forEachReference(node: ts.Node, told: (reference: ts.Node) => void): void {
  if (isHidden(node)) return;
  if (ts.isIdentifier(node)) told(node);
  ts.forEachChild(node, (child) => forEachReference(child, told));
}

const hidden: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
]);

function isHidden(node: ts.Node): boolean {
  if (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)) return true;
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => hidden.has(kind));
}

function isTopLevel(symbol: ts.Symbol): boolean {
  return nodesOf(symbol).some((node) => ts.isSourceFile(node.parent));
}

/** The statements of ours that declare it. */
function nodesOf(symbol: ts.Symbol): readonly ts.Node[] {
  return (symbol.declarations ?? [])
    .filter((node) => node.getSourceFile().fileName.startsWith(folder.split(sep).join("/")))
    .map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node));
}

function inOrder(symbols: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const place = (symbol: ts.Symbol) => `${symbol.name} ${fileOf(symbol)}`;
  return [...symbols].sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

function fileOf(symbol: ts.Symbol): string {
  const [node] = nodesOf(symbol);
  return node === undefined ? "" : relative(folder, node.getSourceFile().fileName).replace(/\.d\.ts$/, ".ts");
}

const printer = ts.createPrinter({ removeComments: true });

function declared(symbol: ts.Symbol): string {
  return nodesOf(symbol)
    .map((node) => {
      const { transformed } = ts.transform(node, [withoutHidden]);
      return transformed
        .map((each) => printer.printNode(ts.EmitHint.Unspecified, each, node.getSourceFile()))
        .join("\n");
    })
    .join("\n")
    .replace(/^ +/gm, (indent) => " ".repeat(indent.length / 2));
}

const withoutHidden: ts.TransformerFactory<ts.Node> = (context) => (top) => {
  const visit = (node: ts.Node): ts.Node | undefined =>
    isHidden(node) ? undefined : ts.visitEachChild(node, visit, context);
  return ts.visitEachChild(top, visit, context);
};
