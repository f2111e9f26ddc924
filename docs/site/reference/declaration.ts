import ts from "typescript";
import { isHidden } from "../../../packaging/public-interface.js";

const whole =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.MultilineObjectLiterals |
  ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope;
const printer = ts.createPrinter();

/** A declaration with the comments of its members, but without its own comment and without hidden members. */
export function renderDeclaration(node: ts.Node, checker: ts.TypeChecker): string {
  if (
    ts.isTypeAliasDeclaration(node) &&
    node.typeParameters === undefined &&
    node.type.getText().includes("typeof")
  )
    return expandAlias(node, checker);
  const source = node.getSourceFile();
  let text = "";
  let at = node.getStart(source);
  for (const hidden of findHidden(node)) {
    text += source.text.slice(at, hidden.getFullStart());
    at = hidden.getEnd();
  }
  text += source.text.slice(at, node.getEnd());
  return wrapText(
    removePaths(text)
      .replace(/^export /, "")
      .replace(/^(?:default |declare )/, ""),
  );
}

function findHidden(node: ts.Node): readonly ts.Node[] {
  const hidden: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    if (isHidden(each)) hidden.push(each);
    else ts.forEachChild(each, visit);
  };
  visit(node);
  return hidden;
}

/** The type of an alias, written out: what it names are schemas, which readers need not know. */
function expandAlias(alias: ts.TypeAliasDeclaration, checker: ts.TypeChecker): string {
  const type = checker.typeToTypeNode(checker.getTypeAtLocation(alias), undefined, whole);
  if (type === undefined) throw new Error(`${alias.name.text} has no type`);
  const text = printer.printNode(ts.EmitHint.Unspecified, type, alias.getSourceFile());
  return `type ${alias.name.text} = ${wrapText(removePaths(text))};`;
}

/** Leaves out the files of ours that types are imported from. */
function removePaths(text: string): string {
  return text.replaceAll(/import\("\.[^"]+"\)\./g, "");
}

/** Half of the indentation. */
function wrapText(text: string): string {
  return text.replaceAll(/^ +/gm, (indent) => " ".repeat(Math.ceil(indent.length / 2)));
}
