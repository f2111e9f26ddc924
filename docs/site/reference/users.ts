import type ts from "typescript";
import { findReferences } from "../../../packaging/public-interface.js";

/**
 * Finds the nearest declarations with an example that name another one: themselves, or by way of types that name it.
 * @param places has all declarations.
 */
export function indexUsers(
  checker: ts.TypeChecker,
  places: ReadonlyMap<ts.Symbol, string>,
): (symbol: ts.Symbol) => readonly ts.Symbol[] {
  const naming = new Map<ts.Symbol, ts.Symbol[]>();
  for (const user of places.keys()) {
    for (const named of findReferences(user, checker)) {
      if (named === user || !places.has(named)) continue;
      naming.set(named, [...(naming.get(named) ?? []), user]);
    }
  }
  const hasExample = (symbol: ts.Symbol) =>
    symbol.getJsDocTags(checker).some(({ name }) => name === "example");
  return (symbol) => {
    const seen = new Set([symbol]);
    for (let near = [symbol]; near.length > 0; ) {
      const found = near.flatMap((each) => naming.get(each) ?? []).filter((each) => !seen.has(each));
      const users = [...new Set(found.filter(hasExample))];
      if (users.length > 0) return users;
      for (const each of found) seen.add(each);
      near = [...new Set(found)];
    }
    return [];
  };
}
