import { InvalidArgumentError, Option } from "commander";
import type { SegmentFilter } from "../../../src/resources/segment-filter.js";
import { scopes as allScopes, isScope, type Scope } from "../../../src/scopes.js";

/** Makes `--filter`, whose content the library checks. */
export function filterOption(description: string): Option {
  return new Option("--filter <json>", description).argParser((text): SegmentFilter => {
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidArgumentError("Give a filter as JSON.");
    }
  });
}

/** Makes `--segment`. */
export function segmentOption(description: string): Option {
  return new Option("--segment <slug>", description);
}

/** Makes `--scopes`. */
export function scopesOption(description: string): Option {
  return new Option("--scopes <list>", `${description}: all, or a comma-separated list (required)`)
    .argParser(parseScopes)
    .makeOptionMandatory();
}

/** All scopes, for the help of a command that takes them. */
export const listOfScopes = `\nScopes:\n  ${allScopes.join("\n  ")}`;

/** Scopes as `--scopes` takes them. */
export function scopesText(scopes: readonly Scope[]): string {
  return scopes.length === allScopes.length ? "all" : scopes.join(",");
}

function parseScopes(text: string): readonly Scope[] {
  if (text === "all") return allScopes;
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length === 0) return names.filter(isScope);
  throw new InvalidArgumentError(
    `Unknown scope: ${unknown.join(", ")}. Give all, or some of ${allScopes.join(", ")}.`,
  );
}
