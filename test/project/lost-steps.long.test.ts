import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";
import { findForgottenSteps } from "./steps/lost-steps.js";
import { compileProgram } from "./steps/program.js";

const PLANTED = 50;
const SEED = 1;

/** A `yield*` that is removed, and the function that contains it. */
interface Place {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly within: { readonly start: number; readonly end: number };
}

it(`each removed \`yield*\` is found, at ${PLANTED} places of the core and the adapters`, () => {
  const { files } = compileProgram();
  const places = pickSome(
    files.flatMap((file) => findPlaces(file)),
    PLANTED,
    SEED,
  );
  const texts = new Map<string, string>();
  for (const { file, start, end } of places.toSorted((one, other) => other.start - one.start)) {
    const text = texts.get(file) ?? readFileSync(file, "utf8");
    texts.set(file, text.slice(0, start) + " ".repeat(end - start) + text.slice(end));
  }
  const { program: faultyProgram } = compileProgram(texts);
  // `npm run check` checks all files as they are.
  const found = findForgottenSteps(faultyProgram, [...texts.keys()]);
  // If a step is used as its result, the type check reports it.
  const isOfWrongType = ({ file, within }: Place) =>
    faultyProgram
      .getSemanticDiagnostics(faultyProgram.getSourceFile(file))
      .some(({ start = 0 }) => start >= within.start && start < within.end);
  const isFound = ({ file, within }: Place) =>
    found.some((each) => each.file === file && each.start >= within.start && each.start < within.end);
  expect(places).toHaveLength(PLANTED);
  expect(places.filter((place) => !isFound(place) && !isOfWrongType(place))).toEqual([]);
});

/** Lists every `yield*` of a step in a file. */
function findPlaces(file: string): Place[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const places: Place[] = [];
  const visitNode = (node: ts.Node): void => {
    if (ts.isYieldExpression(node) && node.asteriskToken !== undefined && node.expression !== undefined) {
      const of = ts.findAncestor(node, ts.isFunctionLike);
      if (of !== undefined && !isAsync(of) && !returnsValues(of, source)) {
        const within = { start: of.getStart(source), end: of.end };
        places.push({ file, start: node.getStart(source), end: node.expression.getStart(source), within });
      }
    }
    ts.forEachChild(node, visitNode);
  };
  visitNode(source);
  return places;
}

/** Whether a function is a generator of values and no step: its `yield*` passes on the values of another. */
function returnsValues(of: ts.SignatureDeclaration, source: ts.SourceFile): boolean {
  return of.type?.getText(source).startsWith("Generator<") === true;
}

/** Whether a function is async: its `yield*` iterates over a list. */
function isAsync(of: ts.SignatureDeclaration): boolean {
  return (
    ts.canHaveModifiers(of) &&
    ts.getModifiers(of)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true
  );
}

/** Picks the same places for the same seed, one in each function, so that each is found separately. */
function pickSome(all: readonly Place[], count: number, seed: number): Place[] {
  const remaining = [...all];
  const some: Place[] = [];
  let state = seed;
  while (some.length < count && remaining.length > 0) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const next = remaining.splice(Math.floor((state / 2 ** 32) * remaining.length), 1);
    some.push(
      ...next.filter(
        ({ file, within }) => !some.some((each) => each.file === file && overlaps(each.within, within)),
      ),
    );
  }
  return some;
}

function overlaps(one: Place["within"], other: Place["within"]): boolean {
  return one.start < other.end && other.start < one.end;
}
