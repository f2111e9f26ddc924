import ts from "typescript";
import {
  isHidden,
  listNodes,
  readPublicInterface,
  type Surface,
  sortSymbols,
} from "../../../packaging/public-interface.js";

/**
 * Describes the public interface in one text for each entry point. A text has the declarations of everything that the
 * entry point exports, and of our types that these declarations name, without comments and without private and
 * protected members. Each declaration is in the text of the first entry point that leads to it.
 */
export function createApiReports(): ReadonlyMap<string, string> {
  return new Map(readPublicInterface().surfaces.map((surface) => [surface.entry, renderReport(surface)]));
}

function renderReport({ entry, names, exported, beneath, elsewhere }: Surface): string {
  const renderAlias = (symbol: ts.Symbol) => {
    const name = names.get(symbol) ?? symbol.name;
    return name === symbol.name ? "" : `// exported as ${name}\n`;
  };
  const renderSection = (title: string, symbols: readonly ts.Symbol[]) => {
    const code = sortSymbols(symbols).map((symbol) => renderAlias(symbol) + renderDeclaration(symbol));
    return code.length === 0 ? [] : [`## ${title}`, `\`\`\`ts\n${code.join("\n\n")}\n\`\`\``];
  };
  const others = elsewhere.map(({ name, entry }) => `${name} (${entry})`).sort();
  return [
    `# ${entry}`,
    ...renderSection("Exported", exported),
    ...(others.length === 0 ? [] : ["## Exported, and written down elsewhere", wrapNames(others)]),
    ...renderSection("Beneath", beneath),
  ]
    .join("\n\n")
    .concat("\n");
}

function wrapNames(names: readonly string[]): string {
  return names.map((name) => `- ${name}`).join("\n");
}

const printer = ts.createPrinter({ removeComments: true });

function renderDeclaration(symbol: ts.Symbol): string {
  return listNodes(symbol)
    .map((node) => {
      const { transformed } = ts.transform(node, [removeHidden]);
      return transformed
        .map((each) => printer.printNode(ts.EmitHint.Unspecified, each, node.getSourceFile()))
        .join("\n");
    })
    .join("\n")
    .replace(/^ +/gm, (indent) => " ".repeat(indent.length / 2));
}

const removeHidden: ts.TransformerFactory<ts.Node> = (context) => (top) => {
  const visit = (node: ts.Node): ts.Node | undefined =>
    isHidden(node) ? undefined : ts.visitEachChild(node, visit, context);
  return ts.visitEachChild(top, visit, context);
};
