import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Language } from "../../adapters/apps/console/server/language.js";

const folder = join(import.meta.dirname, "../../adapters/apps/console/browser/words");

/** Lists the names of the files that hold a language's words. */
export const listWordFiles = (language: Language): string[] => readdirSync(join(folder, language)).sort();

/** Imports a file of words, and returns its exports. */
export const loadWords = async (language: Language, file: string): Promise<Record<string, unknown>> =>
  import(join(folder, language, file));

/** Lists the texts of a language, including the parts of template strings between their placeholders. */
export function listTexts(language: Language): Set<string> {
  const texts = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (!isName) texts.add(node.text.trim());
    }
    ts.forEachChild(node, visit);
  };
  for (const file of listWordFiles(language)) {
    const text = readFileSync(join(folder, language, file), "utf8");
    ts.forEachChild(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), visit);
  }
  return texts;
}
