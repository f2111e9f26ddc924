import { scopesOfRole } from "../../../../src/roles.js";
import { type Scope, scopes } from "../../../../src/scopes.js";
import { presets } from "../words/en/tokens.js";

/** A common purpose of tokens, with its scopes. */
export interface TokenPreset {
  readonly text: string;
  /** Says what it lets a program do, and what not. */
  readonly words: string;
  readonly has: (scope: Scope) => boolean;
  /** True if a part of its scopes is useful too; others need all of them. */
  readonly isOpen: boolean;
}

const createScopeTest = (...chosen: readonly Scope[]) => {
  const all: ReadonlySet<Scope> = new Set(chosen);
  return (scope: Scope) => all.has(scope);
};

const worded = ([text, words]: readonly [string, string]) => ({ text, words });

export const tokenPresets: readonly TokenPreset[] = [
  {
    ...worded(presets.till),
    has: createScopeTest(...scopesOfRole.till),
    isOpen: false,
  },
  {
    ...worded(presets.readOnly),
    has: (scope) => scope.endsWith(":read"),
    isOpen: true,
  },
  {
    ...worded(presets.import),
    has: createScopeTest(
      "user:create",
      "user:update",
      "user_tag:read",
      "user_tag:write",
      "template:read",
      "pass:create",
      "loyalty:manage",
    ),
    isOpen: false,
  },
  {
    ...worded(presets.everything),
    has: () => true,
    isOpen: true,
  },
];

/** Returns the scopes of a preset, in the order of the table, that who has been granted some may grant; `null` if it is of no use. */
export function pickPresetScopes(
  { has, isOpen }: TokenPreset,
  granted: readonly Scope[],
): readonly Scope[] | null {
  const wanted = scopes.filter(has);
  const had = wanted.filter((scope) => granted.includes(scope));
  return had.length > 0 && (isOpen || had.length === wanted.length) ? had : null;
}

/** Returns the preset of exactly these scopes; `null` for a choice of one's own. */
export function findPreset(chosen: readonly Scope[], granted: readonly Scope[]): TokenPreset | null {
  const isSame = (other: readonly Scope[] | null) =>
    other?.length === chosen.length && other.every((scope) => chosen.includes(scope));
  return tokenPresets.find((preset) => isSame(pickPresetScopes(preset, granted))) ?? null;
}
