import { open } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { CommandError, FAILED } from "../terminal/command-error.js";
import { csvRecords } from "./csv-records.js";
import { decoded, type Encoding } from "./text-encoding.js";

/** Bytes to read, and where they come from. */
export interface CsvSource {
  /** As messages name it. */
  readonly name: string;
  readonly stream: Readable;
  /** How many bytes there are; `null` where only the end will tell. */
  readonly size: number | null;
  /** How many bytes were read so far. */
  readonly read: () => number;
}

/** @param file a path, or `-` for standard input. @throws {CommandError} when there is no such file. */
export async function openSource(file: string): Promise<CsvSource> {
  if (file === "-") return { name: "standard input", stream: process.stdin, size: null, read: () => 0 };
  try {
    const handle = await open(file);
    const { size } = await handle.stat();
    const stream = handle.createReadStream();
    // A pipe has a name, but no size.
    return { name: file, stream, size: size === 0 ? null : size, read: () => stream.bytesRead };
  } catch (error) {
    throw cantRead(file, error);
  }
}

/** How a CSV text is written; `null` where that is to be found out from it. */
export interface CsvForm {
  readonly encoding: Encoding | null;
  readonly delimiter: string | null;
}

/** The records of a source, until it ends or the signal is aborted. @throws {CommandError} on what can't be read. */
export async function* recordsOf(
  { name, stream }: CsvSource,
  form: CsvForm,
  signal: AbortSignal,
): AsyncGenerator<string[], void, undefined> {
  try {
    yield* csvRecords(decoded(addAbortSignal(signal, stream), form.encoding), form.delimiter);
  } catch (error) {
    if (!signal.aborted) throw inSource(name, error);
  } finally {
    stream.destroy();
  }
}

function inSource(name: string, error: unknown): unknown {
  if (error instanceof CommandError) {
    return new CommandError(`${name}: ${error.message}`, error.exitCode, { cause: error });
  }
  return cantRead(name, error);
}

function cantRead(name: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new CommandError(`can't read ${name}: ${error.message}`, FAILED, { cause: error });
}
