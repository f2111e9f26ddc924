import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import ts from "typescript";
import { root } from "../imports.js";

/** Sizes of source files. Lines count as `wc -l` counts them. */
export interface SourceLines {
  readonly files: number;
  readonly lines: number;
  /** Files of at most 40 lines. */
  readonly smallFiles: number;
  readonly importLines: number;
  readonly comments: number;
  readonly commentLines: number;
  /** Comments that begin with What, How, Of, Whether, As, For or "The one". */
  readonly vagueComments: number;
}

const SMALL = 40;
const VAGUE = /^[\s/*]*(?:What|How|Of|Whether|As|For|The one)\b/;

/** Parts of `src` and `adapters` that the figures leave out: code for tests, translations, and styles. */
export const leftOut = ["/testing/", "/languages/", "/words/", "/styles/"];

/** Lists the paths of the counted `.ts` and `.tsx` files. */
export function listSourceFiles(): string[] {
  return ["src", "adapters"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (file) => `${folder}/${file.split(sep).join("/")}`,
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !leftOut.some((folder) => file.includes(folder)));
}

export function countSourceLines(): SourceLines {
  return addUp(listSourceFiles().map((file) => countLines(file, readFileSync(join(root, file), "utf8"))));
}

/** @param file its extension decides whether the text may contain JSX. */
export function countLines(file: string, text: string): SourceLines {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const markLines = (from: number, to: number) =>
    source.getLineAndCharacterOfPosition(to).line - source.getLineAndCharacterOfPosition(from).line + 1;
  const lines = text.split("\n").length - 1;
  const comments = [...findComments(source)];
  return {
    files: 1,
    lines,
    smallFiles: lines <= SMALL ? 1 : 0,
    importLines: source.statements
      .filter(
        (each) => ts.isImportDeclaration(each) || (ts.isExportDeclaration(each) && each.moduleSpecifier),
      )
      .reduce((total, each) => total + markLines(each.getStart(), each.end), 0),
    comments: comments.length,
    commentLines: comments.reduce((total, [from, to]) => total + markLines(from, to), 0),
    vagueComments: comments.filter(([from, to]) => VAGUE.test(text.slice(from, to))).length,
  };
}

/** Returns the start and the end of each comment in a file. */
export function findComments(source: ts.SourceFile): Map<number, number> {
  const text = source.text;
  const found = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(source) > 0) {
      for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child);
      return;
    }
    // Text between tags may look like a comment, but it isn't one.
    if (ts.isJsxText(node)) return;
    const before = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const behind = isBeforeJsxText(node) ? [] : (ts.getTrailingCommentRanges(text, node.end) ?? []);
    for (const { pos, end } of [...before, ...behind]) found.set(pos, end);
  };
  visit(source);
  return found;
}

function isBeforeJsxText(node: ts.Node): boolean {
  const { parent } = node;
  return (
    node.kind === ts.SyntaxKind.GreaterThanToken &&
    (ts.isJsxOpeningElement(parent) || ts.isJsxClosingElement(parent))
  );
}

function addUp(all: readonly SourceLines[]): SourceLines {
  const total = {
    files: 0,
    lines: 0,
    smallFiles: 0,
    importLines: 0,
    comments: 0,
    commentLines: 0,
    vagueComments: 0,
  };
  for (const each of all) {
    for (const name of Object.keys(total) as (keyof SourceLines)[]) total[name] += each[name];
  }
  return total;
}
