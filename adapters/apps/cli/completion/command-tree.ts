import type { Command, Option } from "commander";

/** A completion candidate: a word that can come next on the command line, with a one-line description. */
export interface Completion {
  readonly word: string;
  readonly help: string;
}

/** Possible values of an option or argument: one of the listed words, a file name, or any text. */
export type OptionValues = readonly string[] | "file" | "text";

/** A command's option. `values` is `null` for a flag. */
export interface NodeOption extends Completion {
  readonly values: OptionValues | null;
}

/** A node in the command tree, such as the program itself, `token`, or `token create`. */
export interface CommandNode {
  /** The names of the command and its parents, each preceded by a slash, such as `/token/create`. Empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Completion[];
  readonly options: readonly NodeOption[];
  /** Possible values of the command's first argument, or `null` if the command takes no arguments. */
  readonly argument: OptionValues | null;
}

/** Returns a flat list of the command and all of its visible subcommands, at any depth. */
export function flattenCommands(command: Command, path = ""): readonly CommandNode[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const [argument] = command.registeredArguments;
  const node = {
    path,
    commands: commands.map((each) => ({ word: each.name(), help: takeFirstSentence(each.description()) })),
    options: help.visibleOptions(command).flatMap(toNodeOption),
    argument: argument === undefined ? null : (argument.argChoices ?? findValueKind(argument.name())),
  };
  const subcommands = commands.filter((each) => each.name() !== "help");
  return [node, ...subcommands.flatMap((each) => flattenCommands(each, `${path}/${each.name()}`))];
}

function toNodeOption(option: Option): readonly NodeOption[] {
  const { long, argChoices, flags, description, required, optional } = option;
  if (long === undefined || long === null) return [];
  const values = required || optional ? (argChoices ?? findValueKind(flags)) : null;
  return [{ word: long, help: takeFirstSentence(description), values }];
}

/** Derives the kind of value from its placeholder, such as `<file-or-url>`. */
function findValueKind(placeholder: string): OptionValues {
  return /\bfile\b/.test(placeholder) ? "file" : "text";
}

/** Returns the text up to the first break, which is short enough for a menu line. */
function takeFirstSentence(text: string): string {
  return text
    .split(/[;:]\s|\n/, 1)
    .join("")
    .trim();
}

/** An option that takes a value. `key` consists of the command's path and the option, such as `/serve/--log`. */
interface ValueKey {
  readonly key: string;
  readonly values: OptionValues;
}

/** Returns the keys and possible values of all options that take a value. */
export function listValueKeys(nodes: readonly CommandNode[]): readonly ValueKey[] {
  return nodes.flatMap(({ path, options }) =>
    options.flatMap(({ word, values }) => (values === null ? [] : [{ key: `${path}/${word}`, values }])),
  );
}

/** Returns the keys of all options whose value is a file name. */
export function listFileKeys(nodes: readonly CommandNode[]): readonly string[] {
  return listValueKeys(nodes).flatMap(({ key, values }) => (values === "file" ? [key] : []));
}

/** Returns the keys and possible values of all options whose value must be one of several words. */
export function listEnumKeys(
  nodes: readonly CommandNode[],
): readonly { readonly key: string; readonly words: readonly string[] }[] {
  return listValueKeys(nodes).flatMap(({ key, values }) =>
    typeof values === "string" ? [] : [{ key, words: values }],
  );
}

/** Returns the paths of all commands, excluding the program itself. */
export function listPaths(nodes: readonly CommandNode[]): readonly string[] {
  return nodes.map(({ path }) => path).filter((path) => path !== "");
}

/** Returns the words that a command's argument accepts, or an empty array if the argument isn't limited to a fixed set. */
export function listArgumentWords({ argument }: CommandNode): readonly string[] {
  return argument === null || typeof argument === "string" ? [] : argument;
}
