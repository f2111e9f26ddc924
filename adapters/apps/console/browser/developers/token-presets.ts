import { scopesOfRole } from "../../../../../src/base/roles.js";
import { type Scope, scopes } from "../../../../../src/base/scopes.js";
import { presets } from "../words/en/tokens.js";

/** A named set of scopes for a common kind of program. */
export interface TokenPreset {
  readonly text: string;
  /** A description of what a program with these scopes can and can't do. */
  readonly words: string;
  readonly has: (scope: Scope) => boolean;
  /**
   * Whether the preset is still useful with only some of its scopes. If false, only users who have all of its scopes can choose the
   * preset.
   */
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

/**
 * Returns the preset's scopes that a user with the given scopes can grant, in the order of `scopes`. Returns `null` if the user has
 * none of them, or if the user lacks some and the preset requires all.
 */
export function pickPresetScopes(
  { has, isOpen }: TokenPreset,
  granted: readonly Scope[],
): readonly Scope[] | null {
  const wanted = scopes.filter(has);
  const had = wanted.filter((scope) => granted.includes(scope));
  return had.length > 0 && (isOpen || had.length === wanted.length) ? had : null;
}

/**
 * Returns the preset whose scopes, restricted to the scopes in `granted`, are exactly the chosen scopes. Returns `null` if there is
 * none.
 * @param granted the user's own scopes.
 */
export function findPreset(chosen: readonly Scope[], granted: readonly Scope[]): TokenPreset | null {
  const isSame = (other: readonly Scope[] | null) =>
    other?.length === chosen.length && other.every((scope) => chosen.includes(scope));
  return tokenPresets.find((preset) => isSame(pickPresetScopes(preset, granted))) ?? null;
}
