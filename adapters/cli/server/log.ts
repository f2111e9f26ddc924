import pino from "pino";
import { isLoyaltyError } from "../../../src/errors.js";
import { escapeControls, escapeControlsInJson } from "../../../src/values/control-characters.js";
import type { RequestLogEntry } from "../../http/index.js";
import { firstCause } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";
import { withoutSecrets } from "../terminal/without-secrets.js";
import type { ServerSettings } from "./settings.js";

/** The text before each place in the stack of an error. */
const FRAME = "\n    at ";

/**
 * The log of a server. It contains no secrets. Text from strangers can't start a new line, move the cursor or change the text
 * direction.
 */
export interface ServerLog extends Output {
  /** Logs an error; one that passes by itself is a line, which is counted when it comes again. */
  error(error: unknown): void;
  /** Logs a line that may come very often: it is counted when it comes again. */
  logDeduped(line: string): void;
  /** Logs a request; `undefined` where requests are not logged. */
  readonly request: ((request: RequestLogEntry) => void) | undefined;
}

/**
 * @param output receives lines of text.
 * @param lines receive JSON. Default: standard output, written synchronously, so that the last lines of a process are not lost.
 */
export function serverLog(
  format: ServerSettings["log"],
  output: Output,
  lines: () => Pick<pino.DestinationStream, "write"> = () => pino.destination({ fd: 1, sync: true }),
): ServerLog {
  return format === "json" ? jsonLog(lines()) : textLog(output);
}

function textLog(output: Output): ServerLog {
  const result = (line: string) => output.result(escapeControls(withoutSecrets(line)));
  const note = (line: string) => output.note(escapeControls(withoutSecrets(line)));
  const passing = new DedupedLines((line) => note(`loyalty-kit: ${line}`));
  return {
    ...{ result, note },
    error: (error) =>
      isPassing(error)
        ? passing.add(formatStorageLine(error))
        : output.note(formatErrorLines(error).map(escapeControls).join("\n")),
    logDeduped: (line) => passing.add(escapeControls(withoutSecrets(line))),
    request: undefined,
  };
}

function jsonLog(output: Pick<pino.DestinationStream, "write">): ServerLog {
  const log = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" },
    { write: (line) => output.write(escapeControlsInJson(line)) },
  );
  const passing = new DedupedLines((line) => log.error({ error: line }, "failed"));
  const counted = new DedupedLines((line) => log.warn(line));
  return {
    logDeduped: (line) => counted.add(withoutSecrets(line)),
    result: (line) => log.info(withoutSecrets(line)),
    note: (line) => log.info(withoutSecrets(line)),
    error: (error) =>
      isPassing(error)
        ? passing.add(formatStorageLine(error))
        : log.error({ error: formatErrorLines(error).join("\n") }, "failed"),
    request: ({ id, duration, ...request }) =>
      // The id may be what the client says.
      log.info(
        { requestId: withoutSecrets(id), ...request, milliseconds: Math.round(duration * 100) / 100 },
        "request",
      ),
  };
}

function isPassing(error: unknown): error is Error {
  return isLoyaltyError(error, "storage_unavailable");
}

/** A temporary error in one line without secrets; the stack of its detection helps no one. */
function formatStorageLine({ cause }: Error): string {
  const first = firstCause(cause);
  const reason = first instanceof Error ? first.message : "";
  return withoutSecrets(`storage_unavailable: ${reason}`).replace(/\s+/g, " ");
}

/** An error with its causes, without secrets. Each line but the first ones of errors is set in, and a message is one line. */
function formatErrorLines(error: unknown): string[] {
  if (!(error instanceof Error)) return [withoutSecrets(String(error))];
  const told = withoutSecrets(error.stack ?? error.message);
  const at = told.indexOf(FRAME);
  const [head, frames] = at < 0 ? [told, []] : [told.slice(0, at), told.slice(at + 1).split("\n")];
  // What a message says after what looks like a frame would else begin a line.
  const set = frames.map((frame) => (frame.startsWith("    ") ? frame : `    ${frame}`));
  if (error.cause === undefined) return [head, ...set];
  const [first = "", ...others] = formatErrorLines(error.cause);
  return [head, ...set, `caused by ${first}`, ...others];
}

/** How long a repeated line is not written again. */
const QUIET_MS = 5_000;

/** The most different lines that are counted; further ones are always written. */
const MOST = 100;

/** Writes a line once, and then how often it came: an outage is thousands of times the same. */
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
    setTimeout(() => this.tell(line), QUIET_MS).unref();
  }

  private tell(line: string): void {
    const count = this.counts.get(line) ?? 0;
    this.counts.delete(line);
    if (count > 0) this.write(`${line} (${count} more in ${QUIET_MS / 1_000} s)`);
  }
}
