import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Language } from "../../adapters/apps/console/server/language.js";

const folder = join(import.meta.dirname, "../../adapters/apps/console/browser/words");

/** The names of the files with the words of a language. */
export const listWordFiles = (language: Language): string[] => readdirSync(join(folder, language)).sort();

/** Loads what a file of words exports. */
export const loadWords = async (language: Language, file: string): Promise<Record<string, unknown>> =>
  import(join(folder, language, file));

/** Lists the texts of a language, and the parts of templates between their placeholders. */
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
