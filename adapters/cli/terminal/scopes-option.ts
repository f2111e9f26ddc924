import { InvalidArgumentError, Option } from "commander";
import { scopes as allScopes, isScope, type Scope } from "../../../src/scopes.js";

/** `--scopes`, told what they are for. */
export function scopesOption(description: string): Option {
  return new Option("--scopes <list>", `${description}: all, or scopes separated by commas (required)`)
    .argParser(parseScopes)
    .makeOptionMandatory();
}

/** For the help of a command that takes them. */
export const listOfScopes = `\nScopes:\n  ${allScopes.join("\n  ")}`;

/** As they are given. */
export function scopesText(scopes: readonly Scope[]): string {
  return scopes.length === allScopes.length ? "all" : scopes.join(",");
}

function parseScopes(text: string): readonly Scope[] {
  if (text === "all") return allScopes;
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length === 0) return names.filter(isScope);
  throw new InvalidArgumentError(
    `No such scope: ${unknown.join(", ")}; give all, or some of ${allScopes.join(", ")}.`,
  );
}
