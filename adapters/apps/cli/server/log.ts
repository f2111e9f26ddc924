import pino from "pino";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import { escapeControls, escapeControlsInJson } from "../../../../src/base/values/display-text.js";
import type { RequestLogEntry } from "../../../http/index.js";
import { unwrapAggregateError } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";
import { redactSecrets } from "../terminal/without-secrets.js";
import type { ServerSettings } from "./settings.js";

/** Text that precedes each frame of an error's stack. */
const FRAME_PREFIX = "\n    at ";

/**
 * A server's log. Redacts secrets, and escapes untrusted text so that it can't start a new line, move the cursor, or change the
 * text direction.
 */
export interface ServerLog extends Output {
  /** Logs an error. A temporary error is logged as one line, whose repetitions are counted rather than logged. */
  error(error: unknown): void;
  /** Logs a line that might occur very often. Repetitions are counted rather than logged. */
  logDeduped(line: string): void;
  /** Logs a request. `undefined` if requests aren't logged. */
  readonly request: ((request: RequestLogEntry) => void) | undefined;
}

/**
 * Creates a server's log.
 * @param output the output for a text log.
 * @param openStream a function that opens the stream for a JSON log. Defaults to standard output, written synchronously so that no lines
 *   are lost when the process ends.
 */
export function createServerLog(
  format: ServerSettings["log"],
  output: Output,
  openStream: () => Pick<pino.DestinationStream, "write"> = () => pino.destination({ fd: 1, sync: true }),
): ServerLog {
  return format === "json" ? createJsonLog(openStream()) : createTextLog(output);
}

function createTextLog(output: Output): ServerLog {
  const writeResult = (line: string) => output.result(escapeControls(redactSecrets(line)));
  const note = (line: string) => output.note(escapeControls(redactSecrets(line)));
  const dedupedLines = new DedupedLines((line) => note(`loyalty-kit: ${line}`));
  return {
    ...{ result: writeResult, note },
    error: (error) =>
      isTemporary(error)
        ? dedupedLines.add(formatTemporaryError(error))
        : output.note(formatErrorLines(error).map(escapeControls).join("\n")),
    logDeduped: (line) => dedupedLines.add(escapeControls(redactSecrets(line))),
    request: undefined,
  };
}

function createJsonLog(output: Pick<pino.DestinationStream, "write">): ServerLog {
  const log = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" },
    { write: (line) => output.write(escapeControlsInJson(line)) },
  );
  const dedupedErrors = new DedupedLines((line) => log.error({ error: line }, "failed"));
  const dedupedWarnings = new DedupedLines((line) => log.warn(line));
  return {
    logDeduped: (line) => dedupedWarnings.add(redactSecrets(line)),
    result: (line) => log.info(redactSecrets(line)),
    note: (line) => log.info(redactSecrets(line)),
    error: (error) =>
      isTemporary(error)
        ? dedupedErrors.add(formatTemporaryError(error))
        : log.error({ error: formatErrorLines(error).join("\n") }, "failed"),
    request: ({ id, duration, ...request }) =>
      // The client may have chosen the ID.
      log.info(
        { requestId: redactSecrets(id), ...request, milliseconds: Math.round(duration * 100) / 100 },
        "request",
      ),
  };
}

function isTemporary(error: unknown): error is Error {
  return isLoyaltyError(error, "storage_unavailable");
}

/**
 * Formats a temporary error as one line without secrets. Its stack is omitted, because it only shows where the error was detected.
 */
function formatTemporaryError({ cause }: Error): string {
  const first = unwrapAggregateError(cause);
  const reason = first instanceof Error ? first.message : "";
  return redactSecrets(`storage_unavailable: ${reason}`).replace(/\s+/g, " ");
}

/**
 * Formats an error and its causes, without secrets. Every line except the first line of each error is indented, and each message is
 * a single line.
 */
function formatErrorLines(error: unknown): string[] {
  if (!(error instanceof Error)) return [redactSecrets(String(error))];
  const errorText = redactSecrets(error.stack ?? error.message);
  const framesStart = errorText.indexOf(FRAME_PREFIX);
  const [head, frames] =
    framesStart < 0
      ? [errorText, []]
      : [errorText.slice(0, framesStart), errorText.slice(framesStart + 1).split("\n")];
  // Indents message text that follows something that looks like a frame, because it would otherwise start a line.
  const indentedFrames = frames.map((frame) => (frame.startsWith("    ") ? frame : `    ${frame}`));
  if (error.cause === undefined) return [head, ...indentedFrames];
  const [first = "", ...otherLines] = formatErrorLines(error.cause);
  return [head, ...indentedFrames, `caused by ${first}`, ...otherLines];
}

/** How long a repeated line is suppressed, in milliseconds. */
const REPEAT_WINDOW_MS = 5_000;

/** Maximum number of distinct lines that are counted. Further ones are always written. */
const MAX_COUNTED_LINES = 100;

/**
 * Writes each line the first time it occurs and counts its repetitions. After five seconds, writes each repeated line once more
 * with its count. This keeps the log short during an outage, when the same line can occur thousands of times.
 */
export class DedupedLines {
  private readonly counts = new Map<string, number>();

  constructor(private readonly write: (line: string) => void) {}

  add(line: string): void {
    const count = this.counts.get(line);
    if (count !== undefined) {
      this.counts.set(line, count + 1);
      return;
    }
    this.write(line);
    if (this.counts.size >= MAX_COUNTED_LINES) return;
    this.counts.set(line, 0);
    setTimeout(() => this.writeRepeats(line), REPEAT_WINDOW_MS).unref();
  }

  private writeRepeats(line: string): void {
    const count = this.counts.get(line) ?? 0;
    this.counts.delete(line);
    if (count > 0) this.write(`${line} (${count} more in ${REPEAT_WINDOW_MS / 1_000} s)`);
  }
}
