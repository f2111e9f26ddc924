import ts from "typescript";
import { StepTypes } from "./carrying.js";
import { MisuseFinder } from "./misuse.js";

/** A place where a step is lost. */
export interface ForgottenStep {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly what: string;
  readonly why: string;
}

/** Finds every place in the files where a step, or a value that contains one, is lost. */
export function findForgottenSteps(program: ts.Program, files: readonly string[]): ForgottenStep[] {
  const checker = program.getTypeChecker();
  const carrying = new StepTypes(checker);
  const misuse = new MisuseFinder(checker, carrying);
  const found: ForgottenStep[] = [];

  function findReason(value: ts.Expression): string | null {
    if (isGivenFunction(value)) {
      const [signature] = checker.getTypeAtLocation(value).getCallSignatures();
      if (signature !== undefined && carrying.carriesStep(signature.getReturnType()))
        return misuse.findOfFunction(value);
    }
    return carrying.carriesStep(checker.getTypeAtLocation(value)) ? misuse.find(value) : null;
  }

  function visitNode(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isExpression(node) && isSource(node) && !isRunAtOnce(node)) {
      const reason = findReason(node);
      if (reason !== null) found.push(describePlace(node, reason));
    }
    ts.forEachChild(node, visitNode);
  }

  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is not a file of the program`);
    visitNode(source);
  }
  return found;
}

function describePlace(node: ts.Expression, why: string): ForgottenStep {
  const source = node.getSourceFile();
  const start = node.getStart(source);
  const line = source.getLineAndCharacterOfPosition(start).line + 1;
  return { file: source.fileName, line, start, what: node.getText(source), why };
}

/** Whether an expression may create a step. Other expressions only pass on what such an expression returns. */
function isSource(node: ts.Expression): boolean {
  return (
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isYieldExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    isGivenFunction(node) ||
    (ts.isIdentifier(node) && isValue(node))
  );
}

/** Whether a step is run where it is created, as nearly all are. */
function isRunAtOnce(node: ts.Expression): boolean {
  return ts.isYieldExpression(node.parent) && node.parent.asteriskToken !== undefined;
}

/** Whether a node is a function that is passed as an argument, or as a part of one. */
function isGivenFunction(node: ts.Expression): boolean {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}

/** Whether a name is used for its value, and is neither declared nor assigned there, nor the name of a member. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isBinaryExpression(parent) && parent.left === node) {
    return parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken;
  }
  const isNamed = ["name", "propertyName", "label"].some((name) => Reflect.get(parent, name) === node);
  return !isNamed;
}
