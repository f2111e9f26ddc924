import { open } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import type { ReadHeader } from "../../csv/delimiter.js";
import type { CsvFault } from "../../csv/faults.js";
import type { CsvRecord } from "../../csv/parser.js";
import { type CsvForm, csvRecords } from "../../csv/reader.js";
import { WrongFile } from "../../csv/records.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";

/** A file or stream of bytes to read. */
export interface CsvSource {
  /** The name in messages. */
  readonly name: string;
  readonly stream: Readable;
  /** The size in bytes; `null` if only the end will tell. */
  readonly size: number | null;
  /** The number of bytes that were read so far. */
  readonly read: () => number;
}

/** Opens a source. @param file a path, or `-` for standard input. @throws {CommandError} if there is no such file. */
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

/**
 * Reads the records of a source, until it ends or the signal is aborted.
 * @param form how the text is written; `null` if that is to be found out from it.
 * @throws {CommandError} on what can't be read.
 */
export async function* readRecords(
  { name, stream }: CsvSource,
  form: CsvForm,
  columnOf: ReadHeader,
  signal: AbortSignal,
): AsyncGenerator<CsvRecord, void, undefined> {
  try {
    yield* csvRecords(addAbortSignal(signal, stream), form, columnOf);
  } catch (error) {
    if (!signal.aborted) throw cantRead(name, error);
  } finally {
    stream.destroy();
  }
}

/** The options that answer what can't be found out. */
const optionFor: Partial<Record<CsvFault["code"], string>> = {
  encoding_unknown: "--encoding",
  delimiter_unknown: "--delimiter",
};

function cantRead(name: string, error: unknown): unknown {
  if (error instanceof WrongFile) {
    const option = optionFor[error.fault.code];
    const advice = option === undefined ? "" : `; set it with ${option}`;
    const exitCode = option === undefined ? FAILURE_CODE : USAGE_ERROR_CODE;
    return new CommandError(`${name}: ${error.message}${advice}`, exitCode, { cause: error });
  }
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new CommandError(`can't read ${name}: ${error.message}`, FAILURE_CODE, { cause: error });
}
