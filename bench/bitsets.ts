import type { TagFilter } from "loyalty-kit";
import { type Customer, listTagSlugs } from "./customers.js";

const WORD = 32;

/** The least a tag query can be: a set of bits for each tag, combined word by word and counted. */
export class Bitsets {
  readonly #words: number;
  readonly #tags: ReadonlyMap<string, Uint32Array>;

  constructor(
    private readonly users: number,
    all: Iterable<Customer>,
  ) {
    this.#words = Math.ceil(users / WORD);
    const slugs = listTagSlugs(users);
    const sets = slugs.map(() => new Uint32Array(this.#words));
    for (const { ordinal, tags } of all) {
      for (const tag of tags) {
        const tagBits = sets[tag];
        if (tagBits !== undefined)
          tagBits[ordinal >>> 5] = (tagBits[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
      }
    }
    this.#tags = new Map(slugs.map((slug, at) => [slug, sets[at] ?? new Uint32Array(this.#words)]));
  }

  /** Counts the users that match a filter, and lists the lowest ordinals. */
  query(filter: TagFilter, size: number): { total: number; ordinals: number[] } {
    const found = this.#evaluate(filter);
    let total = 0;
    const ordinals: number[] = [];
    for (let at = 0; at < found.length; at += 1) {
      const word = found[at] ?? 0;
      total += countBits(word);
      for (let remaining = word; remaining !== 0 && ordinals.length < size; remaining &= remaining - 1) {
        ordinals.push(at * WORD + 31 - Math.clz32(remaining & -remaining));
      }
    }
    return { total, ordinals };
  }

  #evaluate({ operator, conditions = [], filters = [] }: TagFilter): Uint32Array {
    const operands = [
      ...conditions.map(({ slug }) => this.#tags.get(slug) ?? new Uint32Array(this.#words)),
      ...filters.map((filter) => this.#evaluate(filter)),
    ];
    const result = new Uint32Array(operands[0] ?? []);
    for (const operand of operands.slice(1)) {
      if (operator === "AND")
        for (let at = 0; at < result.length; at += 1) result[at] = (result[at] ?? 0) & (operand[at] ?? 0);
      else for (let at = 0; at < result.length; at += 1) result[at] = (result[at] ?? 0) | (operand[at] ?? 0);
    }
    return operator === "NOT" ? this.#inverse(result) : result;
  }

  #inverse(bits: Uint32Array): Uint32Array {
    for (let at = 0; at < bits.length; at += 1) bits[at] = ~(bits[at] ?? 0);
    const excessBits = this.#words * WORD - this.users;
    const last = this.#words - 1;
    if (excessBits > 0) bits[last] = (bits[last] ?? 0) & (0xffffffff >>> excessBits);
    return bits;
  }
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
