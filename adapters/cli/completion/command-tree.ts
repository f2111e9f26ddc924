import type { Command, Option } from "commander";

/** A word that may come next, and what it is for, in one line. */
export interface Completion {
  readonly word: string;
  readonly help: string;
}

/** The values of an option: some words, the name of a file, or any text. */
export type OptionValues = readonly string[] | "file" | "text";

/** An option at a place; `values` is `null` for a flag. */
export interface NodeOption extends Completion {
  readonly values: OptionValues | null;
}

/** A place in the command line: behind the program, behind `token`, or behind `token create`. */
export interface CommandNode {
  /** The commands that lead there, each behind a slash; empty behind the program. */
  readonly path: string;
  readonly commands: readonly Completion[];
  readonly options: readonly NodeOption[];
  /** The first argument of the command; `null` if it takes none. */
  readonly argument: OptionValues | null;
}

/** All places of a command line, from its definition. */
export function flattenCommands(command: Command, path = ""): readonly CommandNode[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const [argument] = command.registeredArguments;
  const place = {
    path,
    commands: commands.map((each) => ({ word: each.name(), help: firstSentence(each.description()) })),
    options: help.visibleOptions(command).flatMap(toNodeOption),
    argument: argument === undefined ? null : (argument.argChoices ?? findValueKind(argument.name())),
  };
  const below = commands.filter((each) => each.name() !== "help");
  return [place, ...below.flatMap((each) => flattenCommands(each, `${path}/${each.name()}`))];
}

function toNodeOption(option: Option): readonly NodeOption[] {
  const { long, argChoices, flags, description, required, optional } = option;
  if (long === undefined || long === null) return [];
  const values = required || optional ? (argChoices ?? findValueKind(flags)) : null;
  return [{ word: long, help: firstSentence(description), values }];
}

/** The form of a value names what it is, such as `<file-or-url>`. */
function findValueKind(form: string): OptionValues {
  return /\bfile\b/.test(form) ? "file" : "text";
}

/** The text up to the first break, which a line of a menu has room for. */
function firstSentence(text: string): string {
  return text
    .split(/[;:]\s|\n/, 1)
    .join("")
    .trim();
}
