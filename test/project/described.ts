import { dirname } from "node:path";
import ts from "typescript";

const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/** A member of a type that an entry point exports. */
export interface Member {
  /** Path of the member, such as `User.email`. */
  readonly path: string;
  /** Its doc comment. */
  readonly comment: string;
}

/**
 * Lists the members of the types that built declarations export, at all depths. A type with a name of its own is listed
 * once, even if it isn't exported.
 * @param files the declarations of the entry points.
 */
export function listMembers(files: readonly string[]): readonly Member[] {
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    types: ["node"],
    noEmit: true,
    skipLibCheck: true,
    strict: true,
  });
  const checker = program.getTypeChecker();
  const folder = dirname(files[0] ?? "");
  const found = new Map<string, Member>();
  const visited = new Set<ts.Type>();

  const isOurs = (symbol: ts.Symbol) =>
    symbol.declarations?.some((node) => dirname(node.getSourceFile().fileName) === folder) ?? false;

  const isHidden = (symbol: ts.Symbol) =>
    symbol.valueDeclaration !== undefined &&
    (ts.getCombinedModifierFlags(symbol.valueDeclaration) & hidden) !== 0;

  /** Whether a member belongs to a built-in type, such as the name of an error. */
  const isOfLanguage = (member: ts.Symbol, type: ts.Type) =>
    type.getBaseTypes()?.some((base) => {
      const inherited = base.getProperty(member.name);
      return inherited !== undefined && !isOurs(inherited);
    }) ?? false;

  const visit = (type: ts.Type, path: string): void => {
    if (visited.has(type)) return;
    visited.add(type);
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visit(part, path);
      return;
    }
    // Schemas belong to a bundled package.
    if (type.getProperty("_zod") !== undefined) return;
    if (isReference(type)) for (const argument of checker.getTypeArguments(type)) visit(argument, path);
    for (const member of checker.getPropertiesOfType(type)) {
      if (!isOurs(member) || isHidden(member) || isOfLanguage(member, type)) continue;
      const name = `${path}.${member.name}`;
      const comment = ts
        .displayPartsToString(member.getDocumentationComment(checker))
        .replaceAll(/\s+/g, " ");
      // If one part of a union has no description, another part has it.
      if ((found.get(name)?.comment ?? "") === "") found.set(name, { path: name, comment });
      const inner = checker.getTypeOfSymbol(member);
      if (inner.symbol !== undefined && inner.getCallSignatures().length === 0) visit(inner, name);
    }
  };

  for (const file of files) {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is missing: run npm run build`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol =
        (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported);
      if ((symbol.flags & ts.SymbolFlags.Type) !== 0)
        visit(checker.getDeclaredTypeOfSymbol(symbol), exported.name);
    }
  }
  return [...found.values()];
}

function isReference(type: ts.Type): type is ts.TypeReference {
  const { objectFlags = 0 } = type as ts.ObjectType;
  return (objectFlags & ts.ObjectFlags.Reference) !== 0;
}
