import { scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import {
  findPreset,
  pickPresetScopes,
  tokenPresets,
} from "../../adapters/apps/console/browser/developers/token-presets.js";
import { operations } from "../../src/operation-table.js";

const presetNamed = (text: string) => tokenPresets.find((preset) => preset.text === text);
const scopesOfPreset = (text: string) => {
  const preset = presetNamed(text);
  return preset === undefined ? [] : (pickPresetScopes(preset, scopes) ?? []);
};

describe("a token preset", () => {
  it("for imports has every scope that importing customers and cards requires", () => {
    const importScopes = [operations.users.import.scope, operations.passes.import.scope].flat();
    expect(scopesOfPreset("Import")).toEqual(expect.arrayContaining(importScopes));
  });

  it("for a till has every scope that looking up, stamping, selling and redeeming require", () => {
    const { passes, points, purchases, stamps, users } = operations;
    const tillScopes = [
      passes.lookup,
      passes.ofUser,
      stamps.state,
      stamps.add,
      stamps.redeem,
      stamps.reverse,
      points.state,
      points.add,
      points.spend,
      purchases.put,
      purchases.get,
      purchases.addReturn,
      users.get,
    ];
    expect(scopesOfPreset("Till")).toEqual(expect.arrayContaining(tillScopes.flatMap(({ scope }) => scope)));
  });

  it("for reading has exactly the scopes to read, and the one for everything has all scopes", () => {
    expect(scopesOfPreset("Read-only")).toEqual(scopes.filter((scope) => scope.endsWith(":read")));
    expect(scopesOfPreset("Everything")).toEqual([...scopes]);
  });

  it("is offered only with scopes that may be granted, and only as a whole if a part of it is useless", () => {
    const grantedScopes = ["user:read", "pass:read"] as const;
    const offeredPresets = tokenPresets.map((preset) => [
      preset.text,
      pickPresetScopes(preset, grantedScopes),
    ]);
    expect(Object.fromEntries(offeredPresets)).toEqual({
      Till: null,
      Import: null,
      "Read-only": ["user:read", "pass:read"],
      Everything: ["user:read", "pass:read"],
    });
  });

  it("is recognized by exactly its scopes, in any order", () => {
    const till = scopesOfPreset("Till");
    expect(findPreset(till.toReversed(), scopes)?.text).toBe("Till");
    expect(findPreset(till.slice(1), scopes)).toBeNull();
    expect(findPreset([...till, "audit:read"], scopes)).toBeNull();
    expect(findPreset([], scopes)).toBeNull();
  });
});
