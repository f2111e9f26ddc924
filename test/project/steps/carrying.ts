import ts from "typescript";

/** Types that contain other types; steps inside them are still steps. */
const holders: ReadonlySet<string> = new Set([
  ...["Array", "ReadonlyArray", "Set", "ReadonlySet", "Map", "ReadonlyMap", "Promise", "PromiseLike"],
  ...["Iterable", "IterableIterator", "AsyncIterable"],
]);

/** Maximum depth to which a type is examined. */
const DEPTH = 4;

/** Determines which values are steps, or contain steps. */
export class StepTypes {
  readonly #cache = new Map<ts.Type, boolean>();

  constructor(private readonly checker: ts.TypeChecker) {}

  /** Whether a value of the type may be a step. */
  isStep(type: ts.Type): boolean {
    if (type.isUnion()) return type.types.some((each) => this.isStep(each));
    const symbol = type.getSymbol();
    if (symbol?.name === "Step") return symbol.declarations?.some(isOfConcurrency) ?? false;
    // The result of a generator function without a declared type is recognized by its form. Other generators don't
    // yield promises.
    if (symbol?.name !== "Generator") return false;
    const [argument] = this.#listArguments(type);
    return (
      argument !== undefined &&
      (hasFlag(argument, ts.TypeFlags.Never) || argument.getSymbol()?.name === "Promise")
    );
  }

  /** Whether a value of the type may be a step, a list or a promise of steps, or an object with a step. */
  carriesStep(type: ts.Type, depth = DEPTH): boolean {
    const cached = this.#cache.get(type);
    if (cached !== undefined) return cached;
    const does =
      this.isStep(type) ||
      (depth > 0 && this.#listParts(type).some((part) => this.carriesStep(part, depth - 1)));
    this.#cache.set(type, does);
    return does;
  }

  /** Whether a value that is passed to this type is lost, because no code uses it. */
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
