import ts from "typescript";

/** Types that hold others, whose values are steps still. */
const holders: ReadonlySet<string> = new Set([
  ...["Array", "ReadonlyArray", "Set", "ReadonlySet", "Map", "ReadonlyMap", "Promise", "PromiseLike"],
  ...["Iterable", "IterableIterator", "AsyncIterable"],
]);

/** How deep a type is looked into. */
const DEPTH = 4;

/** Tells which values are steps, or have some in them. */
export class StepTypes {
  readonly #cache = new Map<ts.Type, boolean>();

  constructor(private readonly checker: ts.TypeChecker) {}

  /** Whether a value of the type may be a step. */
  isStep(type: ts.Type): boolean {
    if (type.isUnion()) return type.types.some((each) => this.isStep(each));
    const symbol = type.getSymbol();
    if (symbol?.name === "Step") return symbol.declarations?.some(isOfConcurrency) ?? false;
    // What a generator function without a type gives is one by its form. Others give out other things than promises.
    if (symbol?.name !== "Generator") return false;
    const [argument] = this.#listArguments(type);
    return (
      argument !== undefined &&
      (hasFlag(argument, ts.TypeFlags.Never) || argument.getSymbol()?.name === "Promise")
    );
  }

  /** Whether a value of the type may be a step, or a list or a promise of some, or an object with one. */
  carriesStep(type: ts.Type, depth = DEPTH): boolean {
    const cached = this.#cache.get(type);
    if (cached !== undefined) return cached;
    const does =
      this.isStep(type) ||
      (depth > 0 && this.#listParts(type).some((part) => this.carriesStep(part, depth - 1)));
    this.#cache.set(type, does);
    return does;
  }

  /** Whether a value that is given here is lost: nothing is asked of it. */
  isBlind(type: ts.Type): boolean {
    return hasFlag(
      type,
      ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Void | ts.TypeFlags.Undefined,
    );
  }

  #listParts(type: ts.Type): readonly ts.Type[] {
    if (type.isUnion()) return type.types;
    if (holders.has(type.getSymbol()?.name ?? "") || this.checker.isTupleType(type))
      return this.#listArguments(type);
    if (!isObjectLiteral(type)) return [];
    return type.getProperties().map((property) => this.checker.getTypeOfSymbol(property));
  }

  #listArguments(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? this.checker.getTypeArguments(type) : [];
  }
}

function isOfConcurrency(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.endsWith("src/base/concurrency/step.ts");
}

function hasFlag(type: ts.Type, flags: ts.TypeFlags): boolean {
  return (type.flags & flags) !== 0;
}

function isReference(type: ts.Type): type is ts.TypeReference {
  return "target" in type;
}

function isObjectLiteral(type: ts.Type): boolean {
  return "objectFlags" in type && (Number(type.objectFlags) & ts.ObjectFlags.ObjectLiteral) !== 0;
}
