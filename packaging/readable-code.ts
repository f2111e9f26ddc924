import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import { transform } from "esbuild";
import * as z from "zod";

const mapSchema = z.looseObject({ sources: z.array(z.string()), mappings: z.string() });

/** The lines of a built file that came from one module. */
interface Part {
  readonly first: number;
  readonly lines: string[];
  readonly isOwn: boolean;
}

/** esbuild starts each module with a comment that names its path, and ends a file with its exports and license comments. */
const beginning = /^\/\/ (\S+)$/;
const ending = /^(?:export \{|\/\*!|\/\/# )/;

/**
 * Makes a folder's built files readable in stack traces. This package's own code stays one statement per line and gets source maps.
 * Its doc comments are removed, because the declarations have them. Bundled packages keep their names, but lose their whitespace
 * and have no source maps.
 */
export async function keepOwnReadable(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.filter((name) => name.endsWith(".js")).map((name) => rewriteFile(join(folder, name))),
  );
}

async function rewriteFile(file: string): Promise<void> {
  const code = await readFile(file, "utf8");
  const map = mapSchema.parse(JSON.parse(await readFile(`${file}.map`, "utf8")));
  const mapped = decode(map.mappings);
  const sources = map.sources.filter(isOwn);
  const places = map.sources.map((source) => sources.indexOf(source));
  const lines: string[] = [];
  const mappings: SourceMapSegment[][] = [];
  for (const part of splitIntoParts(code)) {
    if (part.isOwn) {
      const inComment = findDocComments(part.lines);
      part.lines.forEach((line, at) => {
        if (inComment[at] === true) return;
        lines.push(line);
        mappings.push(mapLine(mapped[part.first + at] ?? [], places));
      });
    } else {
      const narrow = await narrowPart(part.lines);
      lines.push(...narrow);
      // A segment without a source ends the previous one.
      mappings.push([[0]], ...narrow.slice(1).map(() => []));
    }
  }
  const text = lines.join("\n");
  if ((await minifyCode(text)) !== (await minifyCode(code)))
    throw new Error(`${file} lost more than comments and spaces`);
  await writeFile(file, text);
  await writeFile(`${file}.map`, JSON.stringify({ ...map, sources, names: [], mappings: encode(mappings) }));
}

function splitIntoParts(code: string): readonly Part[] {
  let part: Part = { first: 0, lines: [], isOwn: true };
  const parts = [part];
  code.split("\n").forEach((line, first) => {
    const [, source] = beginning.exec(line) ?? [];
    if (source !== undefined || ending.test(line)) {
      part = { first, lines: [], isOwn: source === undefined || isOwn(source) };
      parts.push(part);
    }
    part.lines.push(line);
  });
  return parts;
}

/** Finds the lines that belong to doc comments. esbuild keeps the doc comments of class members, on lines of their own. */
function findDocComments(lines: readonly string[]): readonly boolean[] {
  let isInside = false;
  return lines.map((line) => {
    const isComment = isInside || /^\s+\/\*\*(?:\s|$)/.test(line);
    isInside = isComment && !line.endsWith("*/");
    return isComment;
  });
}

/** Removes the whitespace from a bundled package's module, but keeps the comment that names its path. */
async function narrowPart([origin = "", ...lines]: readonly string[]): Promise<readonly string[]> {
  const code = await minifyCode(lines.join("\n"));
  return [origin, ...code.trimEnd().split("\n")];
}

async function minifyCode(code: string): Promise<string> {
  const options = {
    minifyWhitespace: true,
    legalComments: "none",
    lineLimit: 160,
    target: "esnext",
  } as const;
  return (await transform(code, options)).code;
}

/** Maps a whole line to the source line where it begins. Mapping each part of the line would make source maps a third larger. */
function mapLine(segments: readonly SourceMapSegment[], places: readonly number[]): SourceMapSegment[] {
  for (const [, source, row] of segments) {
    const place = source === undefined ? -1 : (places[source] ?? -1);
    if (place >= 0 && row !== undefined) return [[0, place, row, 0]];
  }
  return [];
}

function isOwn(source: string): boolean {
  return !source.includes("node_modules/") && !/^(required|imported|parts):/.test(source);
}
