import { putAndEvict } from "../bounded-map.js";
import { type Chunk, emptyChunk } from "../storage/bitmap.js";
import { type Combination, EVERYBODY, type Shape, type ShapedFilter } from "./filter-shape.js";

/** The chunks of all operands at one place, by their number; missing for those without bits there. */
export type OperandChunks = readonly (Chunk | undefined)[];

/** One loop over the words of all operands of a shape, in place of one for each of its operators. */
export interface FilterLoop {
  /** Returns how many match. */
  count(operands: OperandChunks): number;
  /** Makes `target` those who match. */
  fill(operands: OperandChunks, target: Chunk): void;
}

/** One step of a count takes this many words and evaluates the whole filter once for each. */
const STEP = 8;

const none = emptyChunk();

/**
 * Makes the loop of a shape. Nothing but the numbers of operands and the operators' signs enters the code.
 * @param count how many operands there are, all users among them.
 * @returns null where the program may not make code now: under a content security policy never, on some edge servers only
 *   while it starts.
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

/** A function of a text, which says nothing of its types. */
function compileFunction<Args extends readonly unknown[], Result>(
  parameters: readonly string[],
  body: string,
) {
  return new Function(...parameters, body) as (...args: Args) => Result;
}

/** The expression of one word of those who match. */
function word(shape: Shape, at: string): string {
  if (typeof shape === "number") return `c${shape}[${at}]`;
  switch (shape.operator) {
    case "AND": {
      const factors = shape.operands.map((operand) =>
        isNot(operand) ? complement(operand, at) : word(operand, at),
      );
      // A member of another operand is a user.
      const areComplements = factors.length > 0 && shape.operands.every(isNot);
      return joined(areComplements ? [word(EVERYBODY, at), ...factors] : factors, "&");
    }
    case "OR":
      return joined(eachWord(shape, at), "|");
    case "NOT":
      return joined([word(EVERYBODY, at), complement(shape, at)], "&");
  }
}

/** The expression for the complement of a NOT, which includes bits without a user. */
function complement(not: Combination, at: string): string {
  return `~${joined(eachWord(not, at), "|")}`;
}

function isNot(shape: Shape): shape is Combination {
  return typeof shape !== "number" && shape.operator === "NOT";
}

function eachWord({ operands }: Combination, at: string): string[] {
  return operands.map((operand) => word(operand, at));
}

/** The expression that says whether any user can match, by which operands have bits. */
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

/** A combination without operands has no members. */
function joined(operands: readonly string[], sign: string): string {
  return operands.length === 0 ? "0" : `(${operands.join(` ${sign} `)})`;
}

/** Counts with carry-save adders, as `countBits` does. */
function countingLoop(shape: Shape): string {
  const words = Array.from({ length: STEP }, (_, away) => `w${away} = ${word(shape, `at + ${away}`)}`);
  const add = (sum: string, one: string, other: string, carried: string) =>
    `${carried} = (${sum} & ${one}) | ((${sum} ^ ${one}) & ${other}); ${sum} ^= ${one} ^ ${other};`;
  // The zeros after a sum keep engines from taking it for a fraction.
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

/** A larger filter makes code that engines don't care to make fast. */
const MOST_OPERANDS = 24;

/**
 * Keeps the loops of the shapes that were asked for last. One takes longer to make than to do without once, so a shape
 * gets its own when it comes for the second time: filters of ever other shapes cost nothing but their place.
 */
export class FilterLoops {
  /** Null for a shape that was asked for once. */
  readonly #loops = new Map<string, FilterLoop | null>();

  /** @param limit how many shapes are kept. */
  constructor(private readonly limit: number) {}

  /** Null when there is none for it, or not yet. */
  find({ shape, key, slugs }: ShapedFilter): FilterLoop | null {
    if (slugs.length > MOST_OPERANDS || key.length > MOST_OPERANDS * 8) return null;
    const known = this.#loops.get(key);
    const loop = known === null ? compileLoop(shape, slugs.length + 1) : (known ?? null);
    putAndEvict(this.#loops, key, loop, this.limit);
    return loop;
  }
}
