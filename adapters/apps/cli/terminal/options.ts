import { InvalidArgumentError, Option } from "commander";
import { scopes as allScopes, isScope, type Scope } from "../../../../src/base/scopes.js";
import type { SegmentFilter } from "../../../../src/segments/filter-schema.js";

/** Creates the `--filter` option. Parsing checks only that the value is valid JSON. The library validates the filter later. */
export function createFilterOption(description: string): Option {
  return new Option("--filter <json>", description).argParser((text): SegmentFilter => {
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidArgumentError("It must be valid JSON.");
    }
  });
}

/** Creates the optional `--segment` option, whose value is a segment's slug. */
export function createSegmentOption(description: string): Option {
  return new Option("--segment <slug>", description);
}

/** Creates the required `--scopes` option, whose value is `all` or a comma-separated list. */
export function createScopesOption(description: string): Option {
  return new Option("--scopes <list>", `${description}: all, or a comma-separated list (required)`)
    .argParser(parseScopes)
    .makeOptionMandatory();
}

/** A list of all scopes, for the help text of commands that take scopes. */
export const scopesHelp = `\nScopes:\n  ${allScopes.join("\n  ")}`;

/** Formats scopes as a value for `--scopes`: `all` if every scope is included, or a comma-separated list otherwise. */
export function formatScopes(scopes: readonly Scope[]): string {
  return scopes.length === allScopes.length ? "all" : scopes.join(",");
}

function parseScopes(text: string): readonly Scope[] {
  if (text === "all") return allScopes;
  const names = text.split(",").map((name) => name.trim());
  const unknownScopes = names.filter((name) => !isScope(name));
  if (unknownScopes.length === 0) return names.filter(isScope);
  throw new InvalidArgumentError(
    `Unknown scope: ${unknownScopes.join(", ")}. Use all, or a comma-separated list of these scopes: ${allScopes.join(", ")}.`,
  );
}
