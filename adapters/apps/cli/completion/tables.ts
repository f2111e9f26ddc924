import type { CommandNode, OptionValues } from "./command-tree.js";

/** An option that takes a value. `key` consists of the command's path and the option, such as `/serve/--log`. */
export interface ValueKey {
  readonly key: string;
  readonly values: OptionValues;
}

/** Returns the keys and possible values of all options that take a value. */
export function valueKeys(places: readonly CommandNode[]): readonly ValueKey[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ word, values }) => (values === null ? [] : [{ key: `${path}/${word}`, values }])),
  );
}

/** Returns the keys of all options whose value is a file name. */
export function fileKeys(places: readonly CommandNode[]): readonly string[] {
  return valueKeys(places).flatMap(({ key, values }) => (values === "file" ? [key] : []));
}

/** Returns the keys and possible values of all options whose value must be one of several words. */
export function enumKeys(
  places: readonly CommandNode[],
): readonly { readonly key: string; readonly words: readonly string[] }[] {
  return valueKeys(places).flatMap(({ key, values }) =>
    typeof values === "string" ? [] : [{ key, words: values }],
  );
}

/** Returns the paths of all commands, excluding the program itself. */
export function listPaths(places: readonly CommandNode[]): readonly string[] {
  return places.map(({ path }) => path).filter((path) => path !== "");
}

/** Returns the words that a command's argument accepts, or an empty array if the argument isn't limited to a fixed set. */
export function argumentWords({ argument }: CommandNode): readonly string[] {
  return argument === null || typeof argument === "string" ? [] : argument;
}
