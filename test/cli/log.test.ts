import { describe, expect, it } from "vitest";
import { createServerLog } from "../../adapters/apps/cli/server/log.js";
import { createLoyaltyError } from "../../src/base/errors.js";

/** Texts that a client may send. Each would control a terminal, end a line, or reverse the text around it. */
const texts = [
  ...["a\nloyalty-kit: forged", "a\r\nloyalty-kit: forged", "a\n    at forged\nloyalty-kit: forged"],
  ...["\u001b[2J\u001b]0;title\u0007", "\u009b2J", "\u0085", "\u0000\u0008\u007f", "a\u2028b\u2029c"],
  ...["\u202egnp.exe", "\u2066a\u2069", "\u061c\u200e\u200f", "\u202a\u202b\u202c\u202d"],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
const odd = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

function buildErrors(text: string): unknown[] {
  return [
    text,
    new Error(text),
    new TypeError("failed", { cause: new Error(text) }),
    createLoyaltyError("storage_unavailable", null, { cause: new Error(text) }),
    createLoyaltyError("storage_unavailable", null, { cause: new AggregateError([new Error(text)], text) }),
  ];
}

describe("the log of a server", () => {
  it("as text has one line per message, with invisible characters escaped", () => {
    const lines: string[] = [];
    const writeLine = (line: string) => void lines.push(line);
    const log = createServerLog("text", { result: writeLine, note: writeLine });
    for (const text of texts) {
      log.result(text);
      log.note(`loyalty-kit: log message from a phone: ${text}`);
      for (const error of buildErrors(text)) log.error(error);
    }
    expect(lines.length).toBeGreaterThan(texts.length * 5);
    for (const entry of lines) {
      expect(entry).not.toMatch(odd);
      // An error has further lines for its calls, which are indented, and for its causes.
      for (const further of entry.split("\n").slice(1)) expect(further).toMatch(/^(?: {4}|caused by )/);
    }
    lines.length = 0;
    log.note("log from a phone: \u001b[2J and \u202e");
    expect(lines).toEqual(["log from a phone: \\u001b[2J and \\u202e"]);
  });

  it("as JSON preserves each message, and contains nothing that controls a terminal", () => {
    const outputLines: string[] = [];
    const log = createServerLog("json", { result: () => {}, note: () => {} }, () => ({
      write: (line) => void outputLines.push(line),
    }));
    for (const text of texts) {
      log.note(text);
      for (const error of buildErrors(text)) log.error(error);
    }
    expect(outputLines.length).toBeGreaterThan(texts.length * 4);
    for (const line of outputLines) {
      expect(line).not.toMatch(odd);
      expect(line.indexOf("\n")).toBe(line.length - 1);
    }
    expect(JSON.parse(outputLines[0] ?? "")).toMatchObject({ message: texts[0] });
  });
});
