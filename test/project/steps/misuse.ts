import ts from "typescript";
import type { StepTypes } from "./carrying.js";

/** Determines how a value that is a step, or contains one, is lost. */
export class MisuseFinder {
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly carrying: StepTypes,
  ) {}

  /**
   * Returns the problem with the place of a value, or `null` if it is yielded, returned, passed on, stored or run
   * there.
   */
  find(value: ts.Expression): string | null {
    const { parent } = value;
    if (isWrapping(parent)) return this.#carries(parent) ? this.find(parent) : "its type is cast away";
    if (ts.isYieldExpression(parent)) return this.#findOfYield(parent, value);
    if (ts.isAwaitExpression(parent))
      return this.#isStep(value) ? "`await` does not run it" : this.find(parent);
    if (ts.isReturnStatement(parent)) return this.#findOfReturn(getFunction(parent));
    if (ts.isArrowFunction(parent)) return this.#findOfReturn(parent);
    if (ts.isVariableDeclaration(parent)) return this.#findOfVariable(parent, value);
    if (ts.isBinaryExpression(parent)) return this.#findOfOperator(parent, value);
    if (ts.isConditionalExpression(parent)) {
      return value === parent.condition ? this.#findOfCondition(value) : this.find(parent);
    }
    if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return this.#findOfCall(parent, value);
    if (isMember(parent)) return this.#findOfMember(parent, value);
    if (isProperty(parent)) return this.#findOfPlace(value);
    if (ts.isArrayLiteralExpression(parent) || ts.isObjectLiteralExpression(parent)) return this.find(parent);
    if (ts.isSpreadElement(parent) || ts.isSpreadAssignment(parent) || ts.isForOfStatement(parent)) {
      return this.#isStep(value)
        ? "its promises are taken out of it, and it does not run"
        : this.#findOfParts(parent);
    }
    if (ts.isPrefixUnaryExpression(parent) || isTest(parent)) return this.#findOfCondition(value);
    return "nothing is done with it";
  }

  /** Returns the problem with a function that returns steps, if it is passed to code that ignores its result. */
  findOfFunction(value: ts.Expression): string | null {
    const contextualType = this.checker.getContextualType(value);
    const signatures = contextualType?.getCallSignatures() ?? [];
    const isLost =
      signatures.length > 0 && signatures.every((each) => this.carrying.isBlind(each.getReturnType()));
    return isLost ? "it is returned to who takes no result" : null;
  }

  #findOfYield({ asteriskToken }: ts.YieldExpression, value: ts.Expression): string | null {
    if (asteriskToken === undefined) return "`yield` without an asterisk does not run it";
    return this.#isStep(value) ? null : "only steps are run by `yield*`";
  }

  #findOfReturn(of: ts.SignatureDeclaration | null): string | null {
    if (of === null) return "nothing is done with it";
    const isFunction =
      ts.isFunctionDeclaration(of) || ts.isFunctionExpression(of) || ts.isMethodDeclaration(of);
    if (isFunction && of.asteriskToken !== undefined)
      return "`return` in a generator function needs `yield*`";
    const isAsync =
      ts.canHaveModifiers(of) && of.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
    if (isAsync) return "an async function does not run it";
    if (of.type !== undefined) {
      return this.carrying.isBlind(this.checker.getTypeFromTypeNode(of.type))
        ? "its type is cast away"
        : null;
    }
    return ts.isArrowFunction(of) || ts.isFunctionExpression(of) ? this.findOfFunction(of) : null;
  }

  #findOfVariable({ name, type }: ts.VariableDeclaration, value: ts.Expression): string | null {
    if (type !== undefined && !this.#carriesType(this.checker.getTypeFromTypeNode(type)))
      return "its type is cast away";
    if (!ts.isIdentifier(name)) return this.#isStep(value) ? "its parts are none of its result" : null;
    const symbol = this.checker.getSymbolAtLocation(name);
    return symbol !== undefined && isRead(symbol, name, this.checker) ? null : "it is kept, and not used";
  }

  #findOfOperator({ operatorToken, left, right }: ts.BinaryExpression, value: ts.Expression): string | null {
    const { parent } = value;
    if (!ts.isBinaryExpression(parent)) return null;
    switch (operatorToken.kind) {
      case ts.SyntaxKind.CommaToken:
        return value === right ? this.find(parent) : "nothing is done with it";
      case ts.SyntaxKind.AmpersandAmpersandToken:
        return value === right ? this.find(parent) : this.#findOfCondition(value);
      case ts.SyntaxKind.BarBarToken:
      case ts.SyntaxKind.QuestionQuestionToken:
        return this.find(parent);
      case ts.SyntaxKind.EqualsToken:
      case ts.SyntaxKind.QuestionQuestionEqualsToken:
      case ts.SyntaxKind.BarBarEqualsToken:
      case ts.SyntaxKind.AmpersandAmpersandEqualsToken:
        return value === left || this.#carries(left) ? null : "its type is cast away";
      case ts.SyntaxKind.InstanceOfKeyword:
        return isReference(value) ? null : "nothing is done with it";
      default:
        return this.#findOfCondition(value);
    }
  }

  /** A value that may be missing may be checked for its presence. */
  #findOfCondition(value: ts.Expression): string | null {
    const type = this.checker.getTypeAtLocation(value);
    const isOptional = this.checker.getNonNullableType(type) !== type;
    return isReference(value) && isOptional ? null : "a step is no value of this kind";
  }

  #findOfCall(call: ts.CallExpression | ts.NewExpression, value: ts.Expression): string | null {
    if (value === call.expression) return "a step is not called";
    const signature = this.checker.getResolvedSignature(call);
    const at = call.arguments?.indexOf(value) ?? -1;
    const { parameters = [] } = signature ?? {};
    const parameter = parameters[Math.min(at, parameters.length - 1)];
    if (signature === undefined || parameter === undefined) return "nothing takes it";
    if (takesAnything(parameter)) return "it is given to who takes any value";
    return this.#carriesType(this.checker.getTypeOfSymbolAtLocation(parameter, call))
      ? null
      : "no step is taken there";
  }

  #findOfMember(
    member: ts.PropertyAccessExpression | ts.ElementAccessExpression,
    value: ts.Expression,
  ): string | null {
    if (value !== member.expression) return "a step is no name";
    if (!this.#isStep(value)) return null;
    // In this folder, steps are run by their methods.
    return /\/src\/base\/concurrency\//.test(value.getSourceFile().fileName)
      ? null
      : "its members are none of its result";
  }

  #findOfPlace(value: ts.Expression): string | null {
    const { parent } = value;
    if (ts.isComputedPropertyName(parent)) return "a step is no name";
    const contextualType = ts.isExpression(value) ? this.checker.getContextualType(value) : undefined;
    if (contextualType !== undefined && !this.#carriesType(contextualType)) return "no step is taken there";
    return ts.isObjectLiteralExpression(parent.parent) ? this.find(parent.parent) : null;
  }

  /** Lists are iterated over, or are parts of other lists. */
  #findOfParts(parent: ts.Node): string | null {
    if (ts.isForOfStatement(parent)) return null;
    return ts.isExpression(parent.parent) ? this.find(parent.parent) : null;
  }

  #isStep(value: ts.Expression): boolean {
    return this.carrying.isStep(this.checker.getTypeAtLocation(value));
  }

  #carries(value: ts.Expression): boolean {
    return this.#carriesType(this.checker.getTypeAtLocation(value));
  }

  #carriesType(type: ts.Type): boolean {
    return this.carrying.carriesStep(type);
  }
}

function isWrapping(node: ts.Node): node is ts.ParenthesizedExpression | ts.AsExpression {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node)
  );
}

function isMember(node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
}

function isReference(node: ts.Node): boolean {
  return ts.isIdentifier(node) || isMember(node);
}

/** Whether a node assigns a value to a place that has a type. */
function isProperty(node: ts.Node): boolean {
  return (
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isExportAssignment(node) ||
    ts.isComputedPropertyName(node)
  );
}

function isTest(node: ts.Node): boolean {
  return (
    ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node) || ts.isForStatement(node)
  );
}

function getFunction(node: ts.Node): ts.SignatureDeclaration | null {
  for (let at = node.parent; at !== undefined; at = at.parent) if (ts.isFunctionLike(at)) return at;
  return null;
}

/** Whether the type of a parameter is a type parameter, so that it accepts any value. */
function takesAnything({ valueDeclaration }: ts.Symbol): boolean {
  if (valueDeclaration === undefined || !ts.isParameter(valueDeclaration)) return false;
  const { type, parent } = valueDeclaration;
  const own = parent.typeParameters?.map(({ name }) => name.text) ?? [];
  const parts = type !== undefined && ts.isUnionTypeNode(type) ? type.types : [type];
  return parts.some((part) => part !== undefined && own.includes(part.getText()));
}

/** Whether a variable is read anywhere. An exported variable may be read elsewhere. */
function isRead(symbol: ts.Symbol, name: ts.Identifier, checker: ts.TypeChecker): boolean {
  const statement = name.parent.parent.parent;
  if (ts.isVariableStatement(statement) && statement.modifiers !== undefined) return true;
  const isReadIn = (node: ts.Node): boolean => {
    if (!ts.isIdentifier(node)) return ts.forEachChild(node, isReadIn) ?? false;
    if (node === name || node.text !== name.text) return false;
    if (ts.isBinaryExpression(node.parent) && node.parent.left === node && isAssignment(node.parent))
      return false;
    const targetSymbol = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    return targetSymbol === symbol;
  };
  return isReadIn(name.getSourceFile());
}

function isAssignment({ operatorToken }: ts.BinaryExpression): boolean {
  return operatorToken.kind === ts.SyntaxKind.EqualsToken;
}
