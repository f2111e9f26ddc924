import { putAndEvict } from "../bounded-map.js";
import { type Chunk, emptyChunk } from "../storage/bitmap.js";
import { type Combination, EVERYBODY, type Shape, type ShapedFilter } from "./filter-shape.js";

/** Each operand's chunk at one index, by operand number. An operand without bits in that chunk is `undefined`. */
export type OperandChunks = readonly (Chunk | undefined)[];

/** A single loop that evaluates all operands of a shape together, instead of running one loop per operator. */
export interface FilterLoop {
  /** Returns the number of matches in a chunk. */
  count(operands: OperandChunks): number;
  /** Overwrites `target` with the matching bits. */
  fill(operands: OperandChunks, target: Chunk): void;
}

/** Number of words per step of a count; the whole filter is evaluated once per word. */
const STEP = 8;

const none = emptyChunk();

/**
 * Compiles a shape into a loop. The generated code contains only operand numbers and operators.
 * @param count the number of operands, including the operand for all users.
 * @returns `null` if code generation isn't currently allowed. A content security policy never allows it, and some edge servers
 *   allow it only during startup.
 */
export function compileLoop(shape: Shape, count: number): FilterLoop | null {
  try {
    return madeLoop(shape, count);
  } catch {
    return null;
  }
}

function madeLoop(shape: Shape, count: number): FilterLoop {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const given = numbers.map((number) => `const c${number} = operands[${number}] ?? none;`).join(" ");
  const mayMatch = compileFunction<[OperandChunks], boolean>(["operands"], `return ${presence(shape)};`);
  const counted = compileFunction<[OperandChunks, Chunk], number>(
    ["operands", "none"],
    `${given} ${countingLoop(shape)}`,
  );
  const filled = compileFunction<[OperandChunks, Chunk, Chunk], void>(
    ["operands", "none", "target"],
    `${given} for (let at = 0; at < ${none.length}; at += 1) target[at] = ${word(shape, "at")};`,
  );
  return {
    count: (operands) => (mayMatch(operands) ? counted(operands, none) : 0),
    fill: (operands, target) => {
      if (mayMatch(operands)) filled(operands, none, target);
      else target.fill(0);
    },
  };
}

/** Compiles source code into a function, whose types the caller asserts. */
function compileFunction<Args extends readonly unknown[], Result>(
  parameters: readonly string[],
  body: string,
) {
  return new Function(...parameters, body) as (...args: Args) => Result;
}

/** Returns the expression that computes one word of the matches. */
function word(shape: Shape, at: string): string {
  if (typeof shape === "number") return `c${shape}[${at}]`;
  switch (shape.operator) {
    case "AND": {
      const factors = shape.operands.map((operand) =>
        isNot(operand) ? complement(operand, at) : word(operand, at),
      );
      // If at least one operand isn't a NOT, its members are users, so the complements need no mask.
      const areComplements = factors.length > 0 && shape.operands.every(isNot);
      return joined(areComplements ? [word(EVERYBODY, at), ...factors] : factors, "&");
    }
    case "OR":
      return joined(eachWord(shape, at), "|");
    case "NOT":
      return joined([word(EVERYBODY, at), complement(shape, at)], "&");
  }
}

/** Returns the expression for the complement of a NOT, which includes bits that belong to no user. */
function complement(not: Combination, at: string): string {
  return `~${joined(eachWord(not, at), "|")}`;
}

function isNot(shape: Shape): shape is Combination {
  return typeof shape !== "number" && shape.operator === "NOT";
}

function eachWord({ operands }: Combination, at: string): string[] {
  return operands.map((operand) => word(operand, at));
}

/** Returns the expression that decides whether any user can match, based on which operands have bits. */
function presence(shape: Shape): string {
  if (typeof shape === "number") return `operands[${shape}] !== undefined`;
  const operands = shape.operands.map(presence);
  switch (shape.operator) {
    case "AND":
      return operands.length === 0 ? "false" : `(${operands.join(" && ")})`;
    case "OR":
      return operands.length === 0 ? "false" : `(${operands.join(" || ")})`;
    case "NOT":
      return presence(EVERYBODY);
  }
}

/** Joins operands with an operator. A combination without operands has no members. */
function joined(operands: readonly string[], sign: string): string {
  return operands.length === 0 ? "0" : `(${operands.join(` ${sign} `)})`;
}

/** Generates a loop that counts bits with carry-save adders, like `countBits`. */
function countingLoop(shape: Shape): string {
  const words = Array.from({ length: STEP }, (_, away) => `w${away} = ${word(shape, `at + ${away}`)}`);
  const add = (sum: string, one: string, other: string, carried: string) =>
    `${carried} = (${sum} & ${one}) | ((${sum} ^ ${one}) & ${other}); ${sum} ^= ${one} ^ ${other};`;
  // The `| 0` after a sum keeps engines from treating it as a floating-point number.
  return `
    const bits = (word) => {
      let sum = word - ((word >>> 1) & 0x55555555);
      sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
      return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    };
    let ones = 0, twos = 0, fours = 0, eights = 0;
    for (let at = 0; at < ${none.length}; at += ${STEP}) {
      const ${words.join(", ")};
      let twosA, twosB, foursA, foursB, carried;
      ${add("ones", "w0", "w1", "twosA")} ${add("ones", "w2", "w3", "twosB")}
      ${add("twos", "twosA", "twosB", "foursA")}
      ${add("ones", "w4", "w5", "twosA")} ${add("ones", "w6", "w7", "twosB")}
      ${add("twos", "twosA", "twosB", "foursB")}
      ${add("fours", "foursA", "foursB", "carried")}
      eights = (eights + bits(carried)) | 0;
    }
    return eights * 8 + bits(fours) * 4 + bits(twos) * 2 + bits(ones);`;
}

/** Maximum number of operands for a compiled loop, because engines don't optimize the code for larger filters. */
const MOST_OPERANDS = 24;

/**
 * Caches compiled loops for the most recently used shapes. Compiling a loop takes longer than evaluating a filter once without it,
 * so a shape is compiled only when it is used a second time. A shape that is used only once costs nothing but its cache entry.
 */
export class FilterLoops {
  /** The compiled loops, keyed by shape; `null` for a shape that was used only once. */
  readonly #loops = new Map<string, FilterLoop | null>();

  /** @param limit maximum number of shapes to cache. */
  constructor(private readonly limit: number) {}

  /**
   * Returns the compiled loop for a filter, or `null` if the filter is too large, its shape is used for the first time, or it can't
   * be compiled.
   */
  find({ shape, key, slugs }: ShapedFilter): FilterLoop | null {
    if (slugs.length > MOST_OPERANDS || key.length > MOST_OPERANDS * 8) return null;
    const known = this.#loops.get(key);
    const loop = known === null ? compileLoop(shape, slugs.length + 1) : (known ?? null);
    putAndEvict(this.#loops, key, loop, this.limit);
    return loop;
  }
}
