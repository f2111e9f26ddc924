export const ORGANIZATION = "acme";

/** The share of users who have each named tag. `rare` has about a hundred users, regardless of the total. */
export const shares = {
  half: () => 0.5,
  many: () => 0.4,
  some: () => 0.3,
  few: () => 0.2,
  tenth: () => 0.1,
  twentieth: () => 0.05,
  most: () => 0.6,
  rare: (users: number) => 100 / users,
} as const satisfies Record<string, (users: number) => number>;

export type TagName = keyof typeof shares;

/** How many of the other tags a user has. */
const GROUPS_OF_USER = 4;
const USERS_OF_GROUP = 5_000;
const LEAST_GROUPS = 8;

export interface Customer {
  readonly ordinal: number;
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly externalId: string;
  readonly createdAt: number;
  /** By their number in {@link listTagSlugs}. */
  readonly tags: readonly number[];
}

export const EPOCH = Date.UTC(2026, 0, 1);

/** Lists the slugs of all tags for this many users: the named ones, and one for each 5,000 users. */
export function listTagSlugs(users: number): readonly string[] {
  const groups = Math.max(LEAST_GROUPS, Math.floor(users / USERS_OF_GROUP));
  return [...Object.keys(shares), ...Array.from({ length: groups }, (_, at) => `group-${at}`)];
}

export function tagNumber(tag: TagName): number {
  return Object.keys(shares).indexOf(tag);
}

/** The same customers in every run. Half of them are at `example.org`, the others at `example.com`. */
export function* generateCustomers(users: number): Generator<Customer, void, undefined> {
  const random = createRandom(20_260_101);
  const chances = Object.values(shares).map((share) => share(users));
  const groups = listTagSlugs(users).length - chances.length;
  for (let ordinal = 0; ordinal < users; ordinal += 1) {
    const namedTags = chances.flatMap((chance, tag) => (random() < chance ? [tag] : []));
    const otherTags = new Set<number>();
    while (otherTags.size < GROUPS_OF_USER) otherTags.add(chances.length + Math.floor(random() * groups));
    const first = firstNames[Math.floor(random() * firstNames.length)] ?? "";
    const last = Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join("");
    const host = random() < 0.5 ? "example.com" : "example.org";
    yield {
      ordinal,
      id: userId(ordinal),
      email: `${first}.${last}.${ordinal}@${host}`.toLowerCase(),
      name: `${first} ${last.charAt(0).toUpperCase()}${last.slice(1)}`,
      phone: `+49 15${Math.floor(1e8 + random() * 9e8)}`,
      externalId: `C-${ordinal.toString().padStart(7, "0")}`,
      createdAt: EPOCH + ordinal,
      tags: [...namedTags, ...otherTags],
    };
  }
}

/** Every second customer has a stamp card. */
export function hasPass(ordinal: number): boolean {
  return ordinal % 2 === 0;
}

export function passId(ordinal: number): string {
  return `wp_${ordinal}`;
}

const MOST_PASSES = 1_000;

/** The ids of the first stamp cards of this many customers. */
export function listPassIds(users: number): readonly string[] {
  return Array.from({ length: users }, (_, ordinal) => ordinal)
    .filter(hasPass)
    .slice(0, MOST_PASSES)
    .map(passId);
}

export const TEMPLATE = "tpl_coffee";

export function userId(ordinal: number): string {
  return `usr_019b76da-a800-7000-8000-${ordinal.toString(16).padStart(12, "0")}`;
}

/** All of them again and again, in no order: the stride is a prime. */
export function* cycleScattered<T>(all: readonly T[]): Generator<T, never> {
  for (let at = 0; ; at = (at + 7_919) % all.length) {
    const next = all[at];
    if (next !== undefined) yield next;
  }
}

const firstNames = (
  "Ada Amir Anna Ben Bruno Carla Chloe Dario Elif Emma Erik Fatma Finn Frida Greta Hanna Hugo Ida Ivan Jana Jonas Karl " +
  "Kim Lara Lena Leon Lina Luca Malik Maria Marta Max Mila Nils Noah Olga Omar Paul Pia Rosa Samir Sofia Tarek Theo Tom " +
  "Ugur Vera Willi Yara Zoe"
).split(" ");

/** Three of them make one of 91,125 family names. */
const syllables = (
  "ba ber bin bo dan de dor el fal fen go gra hau hol im ja jen kel ko kra lan le lin lo mar mei mo nau ner ni nor pe " +
  "ran rei ro sa schu ste tal ter tra ul von wa zel"
).split(" ");

/** Numbers from 0 to below 1, from a fixed linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
