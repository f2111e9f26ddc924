import { readFile } from "node:fs/promises";
import ts from "typescript";
import { createFault, type Fault, findFaults, listNodes } from "../planted/faults.js";

/** A fault, and code to insert around it that reports when it is executed. */
export interface Mutant extends Fault {
  /** Empty for code that runs once, when its module is loaded. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly at: number;
  readonly text: (call: string) => string;
}

/**
 * Code that only commands other than `npm test` run, because it needs servers or old databases, or is a test itself.
 */
const unseen = /\/(?:postgres|migrations|storage-suite)\/|\/on-(?:postgres|redis)\.ts$|\.d\.ts$/;

/** Lists every mutant of the files in a folder. */
export async function findMutants(folder: string): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  const faults = await findFaults(folder, unseen);
  for (const file of new Set(faults.map((fault) => fault.file))) {
    const source = ts.createSourceFile(file, await readFile(file, "utf8"), ts.ScriptTarget.Latest, true);
    const all = [...faults.filter((fault) => fault.file === file), ...listMoreFaults(source)];
    mutants.push(...all.map((fault) => ({ ...fault, marks: placeMarks(source, fault.start) })));
  }
  return mutants;
}

/**
 * Lists faults that the storage suite isn't tried with: decremented numbers, no defaults, swapped branches, nothing
 * returned.
 */
function* listMoreFaults(source: ts.SourceFile): Generator<Fault> {
  for (const node of listNodes(source)) {
    if (ts.isNumericLiteral(node)) yield createFault(node, `(${node.text} - 1)`);
    else if (ts.isConditionalExpression(node))
      yield createFault(node.condition, `!(${node.condition.getText()})`);
    else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      yield createFault(node, node.left.getText());
    else if (ts.isReturnStatement(node) && node.expression !== undefined && isList(node.expression))
      yield createFault(node.expression, "[]");
    else if (ts.isMethodDeclaration(node) && node.type?.kind === ts.SyntaxKind.VoidKeyword) {
      const [first] = node.body?.statements ?? [];
      if (first !== undefined) yield createFault(first, `return; ${first.getText()}`);
    }
  }
}

/** Whether this expression creates a list, judged by its syntax. */
function isList(node: ts.Expression): boolean {
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  return /^(?:map|filter|flatMap|slice|toSorted)$/.test(node.expression.name.text);
}

/** Marks the innermost statement of a block, or the body of a function without one. */
function placeMarks(source: ts.SourceFile, start: number): readonly Mark[] {
  let node: ts.Node = source;
  for (let inner: ts.Node | undefined = source; inner !== undefined; ) {
    node = inner;
    inner = node.getChildren().find((child) => child.getStart() <= start && start < child.end);
  }
  for (; node.parent !== undefined; node = node.parent) {
    const [at, { parent }] = [node.getStart(), node];
    if (ts.isStatement(node) && (ts.isBlock(parent) || ts.isCaseOrDefaultClause(parent)))
      return [{ at, text: (call) => `${call}; ` }];
    if (ts.isArrowFunction(parent) && parent.body === node)
      return [
        { at, text: (call) => `(${call}, ` },
        { at: node.end, text: () => ")" },
      ];
  }
  return [];
}
