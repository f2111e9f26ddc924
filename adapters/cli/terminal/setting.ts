import { type Command, Option } from "commander";
import { CommandError, USAGE_ERROR_CODE } from "./command-error.js";

/**
 * An option that the environment may give too. Its key among {@link CommandSettings} names both: `poolSize` is `--pool-size` and
 * `LOYALTY_POOL_SIZE`.
 */
export interface Setting<Value> {
  /** The form of the value, as the help shows it; `null` for a flag. */
  readonly form: string | null;
  readonly help: string;
  /** The default, and how one would type it. */
  readonly usual?: { readonly value: Value; readonly text: string };
  readonly choices?: readonly string[];
  /** @throws {InvalidArgumentError} if the text is not a valid value. */
  read?(text: string, before: Value): Value;
}

/** The settings of a command by their names, in the order of its help. */
export type CommandSettings = Readonly<Record<string, Setting<unknown>>>;

/** The values of settings, by the same names. */
export type SettingValues<Some extends CommandSettings> = {
  readonly [Name in keyof Some]: Some[Name] extends Setting<infer Value> ? Value : never;
};

/** The values of a kind, and their form in the help. */
export interface Kind<Value> {
  readonly form: string;
  /** @throws {InvalidArgumentError} if the text is not a valid value. */
  read(text: string): Value;
}

/** Any text. */
export const text = (form: string): Kind<string> => ({ form, read: (given) => given });

/** A setting that defaults to `undefined`. */
export function optional<Value>({ form, read }: Kind<Value>, help: string): Setting<Value | undefined> {
  return { form, help, read };
}

/** A setting with a default, which is written as one would type it. */
export function withDefault<Value>(usual: string, { form, read }: Kind<Value>, help: string): Setting<Value> {
  return { form, help, usual: { value: read(usual), text: usual }, read };
}

/** A setting that may be given several times. */
export function repeatable<Value>({ form, read }: Kind<Value>, help: string): Setting<readonly Value[]> {
  const usual = { value: [], text: "none" };
  return { form, help, usual, read: (given, before) => [...before, read(given)] };
}

/** A setting with a few values; the first one is the default. */
export function choice<Value extends string>(
  form: string,
  choices: readonly [Value, ...Value[]],
  help: string,
): Setting<Value> {
  return { form, help, usual: { value: choices[0], text: choices[0] }, choices };
}

/** A setting that is on or off. One that is usually on is turned off by `--no-…`. */
export function flag(help: string, isUsuallyOn = false): Setting<boolean> {
  return { form: null, help, usual: { value: isUsuallyOn, text: isUsuallyOn ? "on" : "off" } };
}

/** Adds the options of settings to a command. */
export function addSettings(command: Command, settings: CommandSettings): Command {
  for (const [name, setting] of Object.entries(settings)) command.addOption(createOption(name, setting));
  return command;
}

/** The option of a setting. */
export function createOption(name: string, { form, help, usual, choices, read }: Setting<unknown>): Option {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const variable = toVariableName(name);
  if (form === null) {
    const isUsuallyOn = usual?.value === true;
    const flags = isUsuallyOn ? `--no-${words}` : `--${words}`;
    return new Option(flags, `${help} (env: ${variable}=${!isUsuallyOn})`);
  }
  const option = new Option(`--${words} ${form}`, help).env(variable);
  if (read !== undefined) option.argParser(read);
  if (choices !== undefined) option.choices(choices);
  if (usual === undefined) return option;
  return option.default(usual.value, typeof usual.value === "string" ? undefined : usual.text);
}

/**
 * The flags among settings, by the command line or else by the environment. Commander would take any value of a variable,
 * `false` too, for yes.
 * @throws {CommandError} for a variable that is not true, 1, false or 0.
 */
export function readFlags(
  settings: CommandSettings,
  given: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, boolean> {
  const flags = Object.entries(settings).filter(([, { form }]) => form === null);
  return Object.fromEntries(
    flags.map(([name, { usual }]) => {
      const isUsuallyOn = usual?.value === true;
      const isGiven = given[name] === !isUsuallyOn;
      return [name, isGiven ? !isUsuallyOn : environmentFlag(toVariableName(name), isUsuallyOn, environment)];
    }),
  );
}

/** The variable of the environment that gives a setting. */
export function toVariableName(name: string): string {
  return `LOYALTY_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

function environmentFlag(variable: string, usual: boolean, environment: NodeJS.ProcessEnv): boolean {
  const value = environment[variable] ?? "";
  if (value === "") return usual;
  if (["true", "1"].includes(value)) return true;
  if (["false", "0"].includes(value)) return false;
  throw new CommandError(`the environment variable ${variable} must be true or false`, USAGE_ERROR_CODE);
}
