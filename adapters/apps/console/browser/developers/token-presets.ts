import { type Scope, scopes, scopesOfRole } from "../../../../../src/base/scopes.js";
import { presets } from "../words/en/tokens.js";

/** A named set of scopes for a common kind of program. */
export interface TokenPreset {
  readonly text: string;
  /** A description of what a program with these scopes can and can't do. */
  readonly words: string;
  readonly includesScope: (scope: Scope) => boolean;
  /**
   * Whether the preset is still useful with only some of its scopes. If false, only users who have all of its scopes can choose the
   * preset.
   */
  readonly allowsPartial: boolean;
}

const createScopeTest = (...includedScopes: readonly Scope[]) => {
  const scopeSet: ReadonlySet<Scope> = new Set(includedScopes);
  return (scope: Scope) => scopeSet.has(scope);
};

const createTexts = ([text, words]: readonly [string, string]) => ({ text, words });

export const tokenPresets: readonly TokenPreset[] = [
  {
    ...createTexts(presets.till),
    includesScope: createScopeTest(...scopesOfRole.till),
    allowsPartial: false,
  },
  {
    ...createTexts(presets.readOnly),
    includesScope: (scope) => scope.endsWith(":read"),
    allowsPartial: true,
  },
  {
    ...createTexts(presets.import),
    includesScope: createScopeTest(
      "user:create",
      "user:update",
      "user_tag:read",
      "user_tag:write",
      "template:read",
      "pass:create",
      "loyalty:manage",
    ),
    allowsPartial: false,
  },
  {
    ...createTexts(presets.everything),
    includesScope: () => true,
    allowsPartial: true,
  },
];

/**
 * Returns the preset's scopes that a user with the given scopes can grant, in the order of `scopes`. Returns `null` if the user has
 * none of them, or if the preset requires all of them and the user lacks some.
 */
export function pickPresetScopes(
  { includesScope, allowsPartial }: TokenPreset,
  granted: readonly Scope[],
): readonly Scope[] | null {
  const presetScopes = scopes.filter(includesScope);
  const grantableScopes = presetScopes.filter((scope) => granted.includes(scope));
  return grantableScopes.length > 0 && (allowsPartial || grantableScopes.length === presetScopes.length)
    ? grantableScopes
    : null;
}

/**
 * Returns the preset whose scopes, restricted to those in `granted`, are exactly the selected scopes. Returns `null` if no preset
 * matches.
 * @param granted the user's own scopes.
 */
export function findPreset(selected: readonly Scope[], granted: readonly Scope[]): TokenPreset | null {
  const isSame = (presetScopes: readonly Scope[] | null) =>
    presetScopes?.length === selected.length && presetScopes.every((scope) => selected.includes(scope));
  return tokenPresets.find((preset) => isSame(pickPresetScopes(preset, granted))) ?? null;
}
