import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { findComments } from "./figures/source-lines.js";
import { root } from "./imports.js";

const pages = readdirSync(join(root, "docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);

/** What the library and its packages are made of. */
const productFolders = ["adapters", "docs", "examples", "packaging", "src"];

/** Phrases that no native engineer writes in comments, each with a replacement. */
const phrases = [
  [/\bunless given\b/i, "Default: …"],
  [/\bso (?:many|long|often)\b/i, "at most N, for N ms, or the name of the limit"],
  [/\bwhat (?:is|has|comes)\b/i, "a noun: the data, the result, requests"],
  [/\b(?:those of|that of|the one before)\b/i, "the noun again, or previous"],
  [/\b(?:of which|by whom|to whom)\b/i, "whose, or two sentences"],
  [/\b(?:nobody|somebody|anybody)\b/i, "who it is: no client, another worker, anyone with the link"],
  [/\b(?:tells? of|told)\b/i, "emit, notify, report or record"],
  [/\bat once\b/i, "immediately, synchronously, or at the same time"],
  [/\bwho(?:m)?ever\b/i, "anyone who, or the caller"],
  [/\b(?:no more|any more)\b/i, "no longer"],
  [/\bmeanwhile\b/i, "in the meantime, or nothing"],
  [/\banew\b/i, "again, or re-: recount"],
  [/\bas far as\b/i, "if, where or within"],
  [/\bbut for\b/i, "except"],
] as const;

/** Files in which a phrase is justified, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "src/base/errors.ts": "an id in an example",
};

/** Phrases that are idiomatic in texts for users, but not in comments. */
const idiomatic = ["no more", "any more", "what is", "what has", "what comes", "back as far as"];

/** Returns the texts of a file, without comments, that contain a phrase that no native writer uses. */
function findTexts(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node) ||
      ts.isJsxText(node);
    if (isText && node.text.includes(" ") && hasPhrase(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  if (hasPhrase(source.text)) visit(source);
  return found;
}

function hasPhrase(text: string): boolean {
  const rest = idiomatic.reduce((shorter, phrase) => shorter.replaceAll(new RegExp(phrase, "gi"), ""), text);
  return phrases.some(([phrase]) => phrase.test(rest));
}

/** Participles that stand for a thing: `FoundTag` says how a tag was obtained, and not what it is. */
const participles =
  /^(?:Answered|Asked|Drawn|Found|Given|Heard|Kept|Known|Left|Lent|Looked|Made|Meant|Settled|Shown|Taken|Told|Untold)(?![a-z])|[a-z](?:Asked|Found|Given|Heard|Kept|Known|Lent|Looked|Made|Meant|Settled|Told)$/;

/** Names in which a participle is justified, each with the reason. */
const namesWithParticiple: Readonly<Record<string, string>> = {
  AnsweredElsewhereError: "an error says what happened",
  DrawnCard: "a component that draws",
  DrawnImage: "an image of a canvas",
  DrawnPictures: "the pictures of a drawing",
  NotFound: "the name of HTTP for the page",
  notFound: "makes the error of this name",
};

const sources = [...productFolders, "bench", "test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.split(sep).join("/")}`,
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
  .map((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return { file, source: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
  });

/** Returns whether a file is part of the library or its packages. */
function isProduct({ file }: { readonly file: string }): boolean {
  return productFolders.some((folder) => file.startsWith(`${folder}/`));
}

/**
 * Returns the comments of a file that contain a phrase, each with a replacement. It skips files without any phrase,
 * because finding comments is slow.
 */
function findPhrases(source: ts.SourceFile): string[] {
  const toOneLine = (text: string) => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, " ");
  const whole = toOneLine(source.text);
  if (!phrases.some(([phrase]) => phrase.test(whole))) return [];
  return [...findComments(source)].flatMap(([from, to]) => {
    const comment = toOneLine(source.text.slice(from, to));
    return phrases
      .filter(([phrase]) => phrase.test(comment))
      .map(([, instead]) => `${comment.slice(0, 80)} → ${instead}`);
  });
}

/** Returns the name of each exported declaration in a file. */
function listExportedNames(source: ts.SourceFile): { readonly name: string; readonly isType: boolean }[] {
  return source.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => ({
        name: name.getText(source),
        isType: false,
      }));
    const isType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement);
    if (!isType && !ts.isFunctionDeclaration(statement)) return [];
    return statement.name === undefined ? [] : [{ name: statement.name.text, isType }];
  });
}

it("no comment has a phrase that no native engineer writes, except in the listed files", () => {
  const found = sources.map(({ file, source }) => ({ file, phrases: findPhrases(source) }));
  const withPhrases = found.filter(({ phrases }) => phrases.length > 0);
  expect(withPhrases.filter(({ file }) => !(file in exceptions))).toEqual([]);
  expect(withPhrases.map(({ file }) => file).sort()).toEqual(Object.keys(exceptions).sort());
});

it("no exported name has a participle as a noun", () => {
  const found = sources.flatMap(({ file, source }) =>
    listExportedNames(source)
      .filter(({ name }) => participles.test(name) && !(name in namesWithParticiple))
      .map(({ name }) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

it("no two files export types of the same name", () => {
  const files = new Map<string, string[]>();
  for (const { file, source } of sources.filter(isProduct))
    for (const { name, isType } of listExportedNames(source))
      if (isType) files.set(name, [...(files.get(name) ?? []), file]);
  expect([...files].filter(([, all]) => all.length > 1)).toEqual([]);
});

it("no text of screens, errors, help and the API reference has a phrase that no native writer uses", () => {
  const isText = (file: string) =>
    /^(?:src|adapters)\//.test(file) &&
    !/\/(?:words\/de|languages\/(?:de|fr|es|pt))|^(?:src|adapters)\/testing\//.test(file);
  const found = sources.filter(({ file }) => isText(file)).flatMap(({ source }) => findTexts(source));
  expect(found).toEqual([]);
});

it.each(["README.md", ...pages])(
  "%s has no phrase that no native writer uses, outside of its code",
  (page) => {
    const lines = readFileSync(join(root, page), "utf8")
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .split("\n");
    expect(lines.filter(hasPhrase)).toEqual([]);
  },
);
