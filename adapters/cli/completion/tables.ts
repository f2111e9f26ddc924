import type { CommandNode, OptionValues } from "./command-tree.js";

/** An option that takes a value, by the place and its name, such as `/serve/--log`. */
export interface ValueKey {
  readonly key: string;
  readonly values: OptionValues;
}

/** All options that take a value. */
export function valueKeys(places: readonly CommandNode[]): readonly ValueKey[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ word, values }) => (values === null ? [] : [{ key: `${path}/${word}`, values }])),
  );
}

/** The keys whose values are names of files. */
export function fileKeys(places: readonly CommandNode[]): readonly string[] {
  return valueKeys(places).flatMap(({ key, values }) => (values === "file" ? [key] : []));
}

/** The keys whose values are some words, with these. */
export function enumKeys(
  places: readonly CommandNode[],
): readonly { readonly key: string; readonly words: readonly string[] }[] {
  return valueKeys(places).flatMap(({ key, values }) =>
    typeof values === "string" ? [] : [{ key, words: values }],
  );
}

/** The paths of all places but the first. */
export function listPaths(places: readonly CommandNode[]): readonly string[] {
  return places.map(({ path }) => path).filter((path) => path !== "");
}

/** The words that an argument may be. */
export function argumentWords({ argument }: CommandNode): readonly string[] {
  return argument === null || typeof argument === "string" ? [] : argument;
}
