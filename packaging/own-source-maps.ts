import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import { z } from "zod";

const mapSchema = z.looseObject({ sources: z.array(z.string()), mappings: z.string() });

/**
 * Makes the source maps in a folder as small as stack traces of our code need them: they lead to lines, not to columns,
 * and the code of bundled packages comes from nowhere.
 */
export async function keepOwnLines(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".js.map")) continue;
    const file = join(folder, name);
    const map = mapSchema.parse(JSON.parse(await readFile(file, "utf8")));
    const sources = map.sources.filter(isOwn);
    const places = map.sources.map((source) => sources.indexOf(source));
    const mappings = encode(decode(map.mappings).map((line) => ownLines(line, places)));
    await writeFile(file, JSON.stringify({ ...map, sources, names: [], mappings }));
  }
}

/** Keeps the segments that begin with another line of a source than the one before them. */
function ownLines(segments: readonly SourceMapSegment[], places: readonly number[]): SourceMapSegment[] {
  const kept: SourceMapSegment[] = [];
  for (const [column, source, row, position] of segments) {
    const [, lastPlace, lastRow] = kept.at(-1) ?? [];
    const place = source === undefined ? -1 : (places[source] ?? -1);
    if (place < 0 || row === undefined || position === undefined) {
      if (lastPlace !== undefined) kept.push([column]);
    } else if (place !== lastPlace || row !== lastRow) kept.push([column, place, row, position]);
  }
  return kept;
}

function isOwn(source: string): boolean {
  return !source.includes("node_modules/") && !/^(required|imported|parts):/.test(source);
}
