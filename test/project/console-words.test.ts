import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "./imports.js";

const browser = join(root, "adapters/apps/console/browser");

/** Files with texts for customers, in the shop's language instead of the console's. */
const ofCustomers =
  /^(?:automations\/preset-texts|cards\/print\/sheet-words|cards\/presets\/trade-texts)\.ts$/;

/** The files of the screens, without word files and texts for customers. */
const files = readdirSync(browser, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(sep).join("/"))
  .filter(
    (file) =>
      /\.tsx?$/.test(file) && ![/^words\//, /\.d\.ts$/, ofCustomers].some((pattern) => pattern.test(file)),
  );

/** Attributes and properties whose values people read or hear. */
const visibleNames = new Set([
  ...["alt", "aria-label", "placeholder", "title"],
  ...["about", "empty", "hint", "label", "legend", "noun", "said", "tab", "text", "verb", "word"],
]);

/** Functions that display their first argument. */
const showing = new Set([
  ...["checklist", "check", "choice", "number", "optionalText", "parsedText", "text"],
  ...["setComplaint", "setError", "tell"],
]);

/** Names that are the same in every language. */
const names = new Set(["Apple Wallet", "Google Wallet"]);

/** Elements whose texts are code: commands, file names and settings. */
const ofCode = new Set(["code", "pre"]);

const hasLetters = (text: string) => /\p{L}{2,}/u.test(text.replaceAll(/&\w+;/g, ""));

/** Whether a text reads like a sentence or a title, whatever it is used for. */
const isSentence = (text: string) =>
  /^[\p{Lu}“„][\p{L}’]* \p{L}/u.test(text) || /\p{L}{2,} \p{L}{2,}.*[.?!…]$/u.test(text);

function getName(node: ts.Node | undefined): string {
  return node !== undefined && (ts.isIdentifier(node) || ts.isStringLiteral(node)) ? node.text : "";
}

/** Whether an expression is displayed: as the value of an attribute or a property, or by a function. */
function isShown(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent);
  if (ts.isBinaryExpression(parent) || ts.isParenthesizedExpression(parent)) {
    const isCompared = ts.isBinaryExpression(parent) && /^[!=]==?$/.test(parent.operatorToken.getText());
    return !isCompared && isShown(parent);
  }
  if (ts.isJsxExpression(parent)) return ts.isJsxAttribute(parent.parent) ? isShown(parent) : !isCode(parent);
  if (ts.isJsxAttribute(parent)) return visibleNames.has(parent.name.getText());
  if (ts.isPropertyAssignment(parent))
    return parent.initializer === node && visibleNames.has(getName(parent.name));
  return (
    ts.isCallExpression(parent) && parent.arguments[0] === node && showing.has(getName(parent.expression))
  );
}

function isCode(node: ts.Node): boolean {
  for (let each: ts.Node = node; each.parent !== undefined; each = each.parent) {
    if (ts.isJsxElement(each) && ofCode.has(each.openingElement.tagName.getText())) return true;
  }
  return false;
}

/** Whether a text is written for developers, who read English, because it is the message of an error. */
function isForDevelopers(node: ts.Node): boolean {
  return ts.isNewExpression(node.parent) && /Error$/.test(node.parent.expression.getText());
}

const getText = (node: ts.Node): string | null => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("{}");
};

/** Lists the visible words that a file contains itself. */
function findWords(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(browser, file), "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const words: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    const text = ts.isJsxText(node) ? node.text.trim() : getText(node);
    if (text !== null && hasLetters(text) && !names.has(text) && !isForDevelopers(node) && !isCode(node)) {
      if (ts.isJsxText(node) || isShown(node) || isSentence(text)) words.push(`${file}: ${text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return words;
}

it("no screen of the console contains visible words: they are in the word files, in each language", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(findWords)).toEqual([]);
});
