import { type Command, Option } from "commander";
import { CommandError, USAGE_ERROR_CODE } from "./command-error.js";

/**
 * An option that can also be set by an environment variable. Both names are derived from the setting's key in
 * {@link CommandSettings}. For example, `poolSize` becomes `--pool-size` and `LOYALTY_POOL_SIZE`.
 */
export interface Setting<Value> {
  /** Placeholder for the value in the help text, or `null` for a flag. */
  readonly form: string | null;
  readonly help: string;
  /** The default value, and the text that represents it in the help text. */
  readonly usual?: { readonly value: Value; readonly text: string };
  readonly choices?: readonly string[];
  /**
   * Parses the option's value.
   * @param previous the result of parsing the option's previous occurrence, or the default value for its first occurrence.
   * @throws {InvalidArgumentError} if the text isn't a valid value.
   */
  read?(text: string, previous: Value): Value;
}

/** A command's settings, keyed by name, in help text order. */
export type CommandSettings = Readonly<Record<string, Setting<unknown>>>;

/** The parsed values of a command's settings, keyed by setting name. */
export type SettingValues<Settings extends CommandSettings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never;
};

/** A parser for one kind of value, along with the value's placeholder in the help text. */
export interface Kind<Value> {
  readonly form: string;
  /**
   * Parses the text that the user entered.
   * @throws {InvalidArgumentError} if the text isn't a valid value.
   */
  read(text: string): Value;
}

/**
 * Creates a {@link Kind} that accepts any string unchanged.
 * @param form the placeholder for the help text.
 */
export const text = (form: string): Kind<string> => ({ form, read: (input) => input });

/** Creates a setting that defaults to `undefined`. */
export function optional<Value>({ form, read }: Kind<Value>, help: string): Setting<Value | undefined> {
  return { form, help, read };
}

/**
 * Creates a setting with a default value.
 * @param defaultText the default, as a user would type it on the command line.
 */
export function withDefault<Value>(
  defaultText: string,
  { form, read }: Kind<Value>,
  help: string,
): Setting<Value> {
  return { form, help, usual: { value: read(defaultText), text: defaultText }, read };
}

/** Creates a setting that can be specified several times. Its value is an array, which is empty by default. */
export function repeatable<Value>({ form, read }: Kind<Value>, help: string): Setting<readonly Value[]> {
  const usual = { value: [], text: "none" };
  return { form, help, usual, read: (input, previous) => [...previous, read(input)] };
}

/** Creates a setting that accepts only the given values and defaults to the first one. */
export function choice<Value extends string>(
  form: string,
  choices: readonly [Value, ...Value[]],
  help: string,
): Setting<Value> {
  return { form, help, usual: { value: choices[0], text: choices[0] }, choices };
}

/** Creates a flag. If the flag is on by default, its option has the form `--no-…` and turns it off. */
export function flag(help: string, isOnByDefault = false): Setting<boolean> {
  return { form: null, help, usual: { value: isOnByDefault, text: isOnByDefault ? "on" : "off" } };
}

/** Adds an option for each setting to the command, and returns the command. */
export function addSettings(command: Command, settings: CommandSettings): Command {
  for (const [name, setting] of Object.entries(settings)) command.addOption(createOption(name, setting));
  return command;
}

/**
 * Creates the command-line option for a setting.
 * @param name the setting's key, in camel case.
 */
export function createOption(name: string, { form, help, usual, choices, read }: Setting<unknown>): Option {
  const kebabName = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const variable = toVariableName(name);
  if (form === null) {
    const isOnByDefault = usual?.value === true;
    const flags = isOnByDefault ? `--no-${kebabName}` : `--${kebabName}`;
    return new Option(flags, `${help} (env: ${variable}=${!isOnByDefault})`);
  }
  const option = new Option(`--${kebabName} ${form}`, help).env(variable);
  if (read !== undefined) option.argParser(read);
  if (choices !== undefined) option.choices(choices);
  if (usual === undefined) return option;
  return option.default(usual.value, typeof usual.value === "string" ? undefined : usual.text);
}

/**
 * Returns the values of all flags. A flag that isn't set on the command line takes its value from its environment variable.
 * Commander misreads these variables, because it treats any value as true, even `false`.
 * @throws {CommandError} if a variable isn't true, 1, false, or 0.
 */
export function readFlags(
  settings: CommandSettings,
  options: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, boolean> {
  const flags = Object.entries(settings).filter(([, { form }]) => form === null);
  return Object.fromEntries(
    flags.map(([name, { usual }]) => {
      const isOnByDefault = usual?.value === true;
      const isSetByOption = options[name] === !isOnByDefault;
      return [
        name,
        isSetByOption
          ? !isOnByDefault
          : readEnvironmentFlag(toVariableName(name), isOnByDefault, environment),
      ];
    }),
  );
}

/** Returns the name of a setting's environment variable, such as `LOYALTY_POOL_SIZE` for `poolSize`. */
export function toVariableName(name: string): string {
  return `LOYALTY_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

function readEnvironmentFlag(
  variable: string,
  defaultValue: boolean,
  environment: NodeJS.ProcessEnv,
): boolean {
  const value = environment[variable] ?? "";
  if (value === "") return defaultValue;
  if (["true", "1"].includes(value)) return true;
  if (["false", "0"].includes(value)) return false;
  throw new CommandError(`the environment variable ${variable} must be true or false`, USAGE_ERROR_CODE);
}
