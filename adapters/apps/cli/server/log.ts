import pino from "pino";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import { escapeControls, escapeControlsInJson } from "../../../../src/base/values/display-text.js";
import type { RequestLogEntry } from "../../../http/index.js";
import { firstCause } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";
import { withoutSecrets } from "../terminal/without-secrets.js";
import type { ServerSettings } from "./settings.js";

/** Text that precedes each frame of an error's stack. */
const FRAME = "\n    at ";

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
 * @param lines a function that opens the stream for a JSON log. Defaults to standard output, written synchronously so that no lines
 *   are lost when the process ends.
 */
export function serverLog(
  format: ServerSettings["log"],
  output: Output,
  lines: () => Pick<pino.DestinationStream, "write"> = () => pino.destination({ fd: 1, sync: true }),
): ServerLog {
  return format === "json" ? createJsonLog(lines()) : createTextLog(output);
}

function createTextLog(output: Output): ServerLog {
  const writeResult = (line: string) => output.result(escapeControls(withoutSecrets(line)));
  const note = (line: string) => output.note(escapeControls(withoutSecrets(line)));
  const passing = new DedupedLines((line) => note(`loyalty-kit: ${line}`));
  return {
    ...{ result: writeResult, note },
    error: (error) =>
      isPassing(error)
        ? passing.add(formatStorageLine(error))
        : output.note(formatErrorLines(error).map(escapeControls).join("\n")),
    logDeduped: (line) => passing.add(escapeControls(withoutSecrets(line))),
    request: undefined,
  };
}

function createJsonLog(output: Pick<pino.DestinationStream, "write">): ServerLog {
  const log = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" },
    { write: (line) => output.write(escapeControlsInJson(line)) },
  );
  const passing = new DedupedLines((line) => log.error({ error: line }, "failed"));
  const dedupedLog = new DedupedLines((line) => log.warn(line));
  return {
    logDeduped: (line) => dedupedLog.add(withoutSecrets(line)),
    result: (line) => log.info(withoutSecrets(line)),
    note: (line) => log.info(withoutSecrets(line)),
    error: (error) =>
      isPassing(error)
        ? passing.add(formatStorageLine(error))
        : log.error({ error: formatErrorLines(error).join("\n") }, "failed"),
    request: ({ id, duration, ...request }) =>
      // The client may have chosen the ID.
      log.info(
        { requestId: withoutSecrets(id), ...request, milliseconds: Math.round(duration * 100) / 100 },
        "request",
      ),
  };
}

function isPassing(error: unknown): error is Error {
  return isLoyaltyError(error, "storage_unavailable");
}

/**
 * Formats a temporary error as one line without secrets. Its stack is omitted, because it only shows where the error was detected.
 */
function formatStorageLine({ cause }: Error): string {
  const first = firstCause(cause);
  const reason = first instanceof Error ? first.message : "";
  return withoutSecrets(`storage_unavailable: ${reason}`).replace(/\s+/g, " ");
}

/**
 * Formats an error and its causes, without secrets. Every line except the first line of each error is indented, and each message is
 * a single line.
 */
function formatErrorLines(error: unknown): string[] {
  if (!(error instanceof Error)) return [withoutSecrets(String(error))];
  const errorText = withoutSecrets(error.stack ?? error.message);
  const at = errorText.indexOf(FRAME);
  const [head, frames] =
    at < 0 ? [errorText, []] : [errorText.slice(0, at), errorText.slice(at + 1).split("\n")];
  // Indents message text that follows something that looks like a frame, because it would otherwise start a line.
  const set = frames.map((frame) => (frame.startsWith("    ") ? frame : `    ${frame}`));
  if (error.cause === undefined) return [head, ...set];
  const [first = "", ...otherLines] = formatErrorLines(error.cause);
  return [head, ...set, `caused by ${first}`, ...otherLines];
}

/** How long a repeated line is suppressed, in milliseconds. */
const QUIET_MS = 5_000;

/** Maximum number of distinct lines that are counted. Further ones are always written. */
const MOST = 100;

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
    if (this.counts.size >= MOST) return;
    this.counts.set(line, 0);
    setTimeout(() => this.writeRepeats(line), QUIET_MS).unref();
  }

  private writeRepeats(line: string): void {
    const count = this.counts.get(line) ?? 0;
    this.counts.delete(line);
    if (count > 0) this.write(`${line} (${count} more in ${QUIET_MS / 1_000} s)`);
  }
}
