import pino from "pino";
import { isLoyaltyError } from "../../../src/errors.js";
import type { AnsweredRequest } from "../../http/index.js";
import type { Output } from "../terminal/output.js";
import { withoutSecrets } from "../terminal/without-secrets.js";
import { CountedLines } from "./counted-lines.js";
import type { LogFormat } from "./log-option.js";

/** How a server tells what it does: in no line is there a secret. */
export interface ServerLog extends Output {
  /** What passes is told in a line, and counted when it comes again. */
  error(error: unknown): void;
  /** A line that may come very often: it is counted when it comes again. */
  counted(line: string): void;
  /** `undefined` where requests are not told. */
  readonly request: ((request: AnsweredRequest) => void) | undefined;
}

/** @param output takes what is told in text. */
export function serverLog(format: LogFormat, output: Output): ServerLog {
  return format === "json" ? jsonLog() : textLog(output);
}

function textLog(output: Output): ServerLog {
  const passing = new CountedLines((line) => output.note(`loyalty-kit: ${line}`));
  return {
    result: (line) => output.result(withoutSecrets(line)),
    note: (line) => output.note(withoutSecrets(line)),
    error: (error) => (isPassing(error) ? passing.add(lineOf(error)) : output.note(textOf(error))),
    counted: (line) => passing.add(withoutSecrets(line)),
    request: undefined,
  };
}

/** Written at once, so that the last lines of a process that ends are there. */
function jsonLog(): ServerLog {
  const log = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" },
    pino.destination({ fd: 1, sync: true }),
  );
  const passing = new CountedLines((line) => log.error({ error: line }, "failed"));
  const counted = new CountedLines((line) => log.warn(line));
  return {
    counted: (line) => counted.add(withoutSecrets(line)),
    result: (line) => log.info(withoutSecrets(line)),
    note: (line) => log.info(withoutSecrets(line)),
    error: (error) =>
      isPassing(error) ? passing.add(lineOf(error)) : log.error({ error: textOf(error) }, "failed"),
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

/** What passes, and why, in one line without secrets: where it was noticed helps nobody. */
function lineOf({ cause }: Error): string {
  // What could be reached by no address has one error for each of them, and no message.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const reason = first instanceof Error ? first.message : "";
  return withoutSecrets(`storage_unavailable: ${reason}`).replace(/\s+/g, " ");
}

/** An error with its causes, without secrets. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutSecrets(String(error));
  const cause = error.cause === undefined ? "" : `\ncaused by ${textOf(error.cause)}`;
  return withoutSecrets(error.stack ?? error.message) + cause;
}
