import { open } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import type { ReadHeader } from "../../csv/delimiter.js";
import type { CsvFault } from "../../csv/faults.js";
import type { CsvRecord } from "../../csv/parser.js";
import { type CsvForm, csvRecords } from "../../csv/reader.js";
import { WrongFile } from "../../csv/records.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";

/** CSV input from a file or another byte stream. */
export interface CsvSource {
  /** The source's name, as shown in messages. */
  readonly name: string;
  readonly stream: Readable;
  /** Size in bytes, or `null` if the size is unknown. */
  readonly size: number | null;
  /** Returns the number of bytes read so far. */
  readonly getBytesRead: () => number;
}

/**
 * Opens a CSV source.
 * @param file a path, or `-` for standard input.
 * @throws {CommandError} if the file can't be opened.
 */
export async function openSource(file: string): Promise<CsvSource> {
  if (file === "-")
    return { name: "standard input", stream: process.stdin, size: null, getBytesRead: () => 0 };
  try {
    const handle = await open(file);
    const { size } = await handle.stat();
    const stream = handle.createReadStream();
    // A pipe has a path but no size.
    return { name: file, stream, size: size === 0 ? null : size, getBytesRead: () => stream.bytesRead };
  } catch (error) {
    throw toReadError(file, error);
  }
}

/**
 * Yields a source's records until the source ends or the signal is aborted.
 * @param format the text's encoding and delimiter. Each is detected automatically if it is `null`.
 * @throws {CommandError} if the source can't be read.
 */
export async function* readRecords(
  { name, stream }: CsvSource,
  format: CsvForm,
  readHeader: ReadHeader,
  signal: AbortSignal,
): AsyncGenerator<CsvRecord, void, undefined> {
  try {
    yield* csvRecords(addAbortSignal(signal, stream), format, readHeader);
  } catch (error) {
    if (!signal.aborted) throw toReadError(name, error);
  } finally {
    stream.destroy();
  }
}

/** Options that specify what couldn't be detected. */
const optionByFault: Partial<Record<CsvFault["code"], string>> = {
  encoding_unknown: "--encoding",
  delimiter_unknown: "--delimiter",
};

function toReadError(name: string, error: unknown): unknown {
  if (error instanceof WrongFile) {
    const option = optionByFault[error.fault.code];
    const advice = option === undefined ? "" : `; specify it with ${option}`;
    const exitCode = option === undefined ? FAILURE_CODE : USAGE_ERROR_CODE;
    return new CommandError(`${name}: ${error.message}${advice}`, exitCode, { cause: error });
  }
  if (!(error instanceof Error && "syscall" in error)) return error;
  return new CommandError(`can't read ${name}: ${error.message}`, FAILURE_CODE, { cause: error });
}
