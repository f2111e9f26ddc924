import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";

/** A fault that changes one place in a file. */
export interface Fault {
  readonly file: string;
  /** Offset of the fault, and the text there. */
  readonly start: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Operators that a fault replaces, with their replacements. */
const operators: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
]);

/** Words of SQL that a fault replaces, with their replacements. */
const words: ReadonlyMap<string, string> = new Map([
  ["=", "<>"],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["asc", "desc"],
  ["desc", "asc"],
  ["is", "is not"],
  ["is not", "is"],
]);

/** Calls that a fault removes from a chain. */
const links: ReadonlySet<string> = new Set([
  ...["where", "orderBy", "limit", "innerJoin", "onConflict", "doNothing", "distinct", "having"],
  ...["sort", "toSorted", "filter", "slice"],
]);

/** Lists every fault that can be planted in the files of a folder, without the files that the pattern excludes. */
export async function findFaults(folder: string, excluded: RegExp): Promise<Fault[]> {
  const files = (await readdir(folder, { recursive: true }))
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith(".ts") && !excluded.test(file))
    .sort();
  const faults = await Promise.all(
    files.map(async (file) => {
      const source = ts.createSourceFile(file, await readFile(file, "utf8"), ts.ScriptTarget.Latest, true);
      return [...listFaults(source)];
    }),
  );
  return faults.flat();
}

/** Returns the text of a file with the fault in it. */
export function plantFault(text: string, { start, before, after }: Fault): string {
  return text.slice(0, start) + after + text.slice(start + before.length);
}

function* listFaults(source: ts.SourceFile): Generator<Fault> {
  for (const node of listNodes(source)) {
    if (ts.isBinaryExpression(node)) {
      const after = operators.get(node.operatorToken.kind);
      if (after !== undefined) yield createFault(node.operatorToken, after);
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) yield createFault(node, "false");
    else if (node.kind === ts.SyntaxKind.FalseKeyword) yield createFault(node, "true");
    else if (ts.isNumericLiteral(node)) yield createFault(node, `${node.text.replaceAll("_", "")} + 1`);
    else if (ts.isStringLiteral(node)) {
      const after = words.get(node.text);
      if (after !== undefined) yield createFault(node, JSON.stringify(after));
    } else if (ts.isIfStatement(node)) yield createFault(node.expression, `!(${node.expression.getText()})`);
    else if (ts.isExpressionStatement(node)) yield createFault(node, ";");
    else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      if (links.has(name.text)) yield createFault(node, expression.getText());
    }
  }
}

/** Lists the nodes of a file that are executed, which excludes types. */
export function* listNodes(source: ts.SourceFile): Generator<ts.Node> {
  const nodes: ts.Node[] = [source];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) continue;
    yield node;
    nodes.push(...node.getChildren());
  }
}

export function createFault(node: ts.Node, after: string): Fault {
  const source = node.getSourceFile();
  const start = node.getStart();
  const line = source.getLineAndCharacterOfPosition(start).line + 1;
  return { file: source.fileName, start, line, before: node.getText(), after };
}
