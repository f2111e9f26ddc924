import { isYieldDue, yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import {
  Bitmap,
  type Chunk,
  collectBits,
  countBits,
  emptyChunk,
  intersect,
  subtract,
  unite,
} from "../storage/bitmap.js";
import type { TagSets } from "../storage/tags.js";
import type { TagFilter } from "../tags/tag-filter-schema.js";

/** The users who match a filter: the total count, and one page of ordinals in ascending order. */
export interface Matches {
  readonly total: number;
  readonly ordinals: readonly number[];
}

/** Returns the chunk at an index, or `undefined` if it has no bits. The next call may overwrite the chunk. */
type GetChunk = (at: number) => Chunk | undefined;

/**
 * Evaluates a filter chunk by chunk, yielding to other work in between. Holds only one chunk per operator in memory, regardless of
 * how many users there are. Unknown slugs match no users.
 * @param offset the number of matches to skip.
 * @param limit the maximum number of ordinals to return.
 */
export function* evaluate(filter: TagFilter, sets: TagSets, offset: number, limit: number): Step<Matches> {
  const getChunk = compileFilter(filter, sets);
  const ordinals: number[] = [];
  let total = 0;
  for (let at = 0; at < sets.users.length; at += 1) {
    if (isYieldDue()) yield* yieldIfDue();
    const chunk = getChunk(at);
    if (chunk === undefined) continue;
    const bits = countBits(chunk);
    if (total + bits > offset) collectBits(chunk, at, Math.max(offset - total, 0), limit, ordinals);
    total += bits;
  }
  return { total, ordinals };
}

/** Returns all users who match a filter, as a new bitmap. */
export function* evaluateToSet(filter: TagFilter, sets: TagSets): Step<Bitmap> {
  const getChunk = compileFilter(filter, sets);
  const matchedChunks: (Chunk | undefined)[] = [];
  for (let at = 0; at < sets.users.length; at += 1) {
    if (isYieldDue()) yield* yieldIfDue();
    const chunk = getChunk(at);
    matchedChunks.push(chunk === undefined || countBits(chunk) === 0 ? undefined : chunk.slice());
  }
  return new Bitmap(matchedChunks);
}

/** Returns the distinct tag slugs in a filter and its nested groups. */
export function listSlugs(filter: TagFilter): string[] {
  const slugs = new Set<string>();
  const collectSlugs = ({ conditions = [], filters = [] }: TagFilter): void => {
    for (const { slug } of conditions) slugs.add(slug);
    filters.forEach(collectSlugs);
  };
  collectSlugs(filter);
  return [...slugs];
}

function compileFilter({ operator, conditions = [], filters = [] }: TagFilter, sets: TagSets): GetChunk {
  const operands = [
    ...conditions.map(({ slug }) => createChunkGetter(sets.tags.get(slug) ?? Bitmap.empty)),
    ...filters.map((nestedFilter) => compileFilter(nestedFilter, sets)),
  ];
  switch (operator) {
    case "AND":
      return intersectAll(operands);
    case "OR":
      return uniteAll(operands);
    case "NOT":
      return subtractAll(createChunkGetter(sets.users), operands);
  }
}

function createChunkGetter(set: Bitmap): GetChunk {
  return (at) => set.chunk(at);
}

function intersectAll([first, ...otherOperands]: readonly GetChunk[]): GetChunk {
  const buffer = emptyChunk();
  return (at) => {
    let result = first?.(at);
    for (const operand of otherOperands) {
      const chunk = result && operand(at);
      if (result === undefined || chunk === undefined) return undefined;
      intersect(buffer, result, chunk);
      result = buffer;
    }
    return result;
  };
}

function uniteAll(operands: readonly GetChunk[]): GetChunk {
  const buffer = emptyChunk();
  return (at) => {
    let result: Chunk | undefined;
    for (const operand of operands) {
      const chunk = operand(at);
      if (result === undefined || chunk === undefined) {
        result ??= chunk;
      } else {
        unite(buffer, result, chunk);
        result = buffer;
      }
    }
    return result;
  };
}

function subtractAll(allUsers: GetChunk, operands: readonly GetChunk[]): GetChunk {
  const buffer = emptyChunk();
  return (at) => {
    let result = allUsers(at);
    for (const operand of operands) {
      const chunk = result && operand(at);
      if (result === undefined || chunk === undefined) continue;
      subtract(buffer, result, chunk);
      result = buffer;
    }
    return result;
  };
}
