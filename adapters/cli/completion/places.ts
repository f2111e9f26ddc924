import type { Command, Option } from "commander";

/** A word that may come next, and what it is for, in one line. */
export interface Word {
  readonly word: string;
  readonly help: string;
}

/** The values of an option: some words, the name of a file, or any text. */
export type Values = readonly string[] | "file" | "text";

/** An option at a place; `values` is `null` for a flag. */
export interface PlacedOption extends Word {
  readonly values: Values | null;
}

/** A place in the command line: behind the program, behind `token`, or behind `token create`. */
export interface Place {
  /** The commands that lead there, each behind a slash; empty behind the program. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly PlacedOption[];
  /** The first argument of the command; `null` where it takes none. */
  readonly argument: Values | null;
}

/** All places of a command line, from its definition. */
export function placesOf(command: Command, path = ""): readonly Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const [argument] = command.registeredArguments;
  const place = {
    path,
    commands: commands.map((each) => ({ word: each.name(), help: firstSentence(each.description()) })),
    options: help.visibleOptions(command).flatMap(placed),
    argument: argument === undefined ? null : (argument.argChoices ?? valuesOf(argument.name())),
  };
  const below = commands.filter((each) => each.name() !== "help");
  return [place, ...below.flatMap((each) => placesOf(each, `${path}/${each.name()}`))];
}

function placed(option: Option): readonly PlacedOption[] {
  const { long, argChoices, flags, description, required, optional } = option;
  if (long === undefined || long === null) return [];
  const values = required || optional ? (argChoices ?? valuesOf(flags)) : null;
  return [{ word: long, help: firstSentence(description), values }];
}

/** The form of a value names what it is, such as `<file-or-url>`. */
function valuesOf(form: string): Values {
  return /\bfile\b/.test(form) ? "file" : "text";
}

/** The text up to the first break, which a line of a menu has room for. */
function firstSentence(text: string): string {
  return text
    .split(/[;:]\s|\n/, 1)
    .join("")
    .trim();
}
