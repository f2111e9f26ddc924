import { WrongFile } from "./records.js";

/** Maximum length of a record in characters. A longer record means that a quote is never closed. */
const MAX_LENGTH = 1_048_576;

/** A record's cells, and the line number where the record ends. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Parses CSV text into records, chunk by chunk. Lines can end in LF, CRLF, or CR. A blank line becomes a record with one empty
 * cell.
 */
export class CsvParser {
  /** The line number where the most recently parsed record ended. */
  lastLine = 0;
  private line = 1;
  private cells: string[] = [];
  private cell = "";
  private state: "start" | "plain" | "quoted" | "closed" = "start";
  private isAfterReturn = false;
  private length = 0;

  constructor(private readonly delimiter: string) {}

  /**
   * Yields the records completed by the next chunk of text.
   * @throws {WrongFile} if a quote is misplaced or a record is too long. All earlier records are yielded first.
   */
  *read(text: string): Generator<CsvRecord, void, undefined> {
    for (let at = 0; at < text.length; at += 1) if (this.endsRecord(text.charAt(at))) yield this.record();
  }

  /**
   * Finishes parsing, and yields the last record if it isn't followed by a line break.
   * @throws {WrongFile} if a quote is still open.
   */
  *end(): Generator<CsvRecord, void, undefined> {
    if (this.state === "quoted") throw new WrongFile({ code: "quote_unclosed", line: this.lastLine });
    if (this.length === 0) return;
    this.line += 1;
    yield this.record();
  }

  /**
   * Processes the next character.
   * @returns whether it ends a record.
   */
  private endsRecord(character: string): boolean {
    const isLineEnd = character === "\n" || character === "\r";
    const isRestOfLineEnd = character === "\n" && this.isAfterReturn;
    this.isAfterReturn = character === "\r";
    if (isLineEnd && !isRestOfLineEnd) this.line += 1;
    if (isRestOfLineEnd && this.state !== "quoted") return false;
    if (isLineEnd && this.state !== "quoted") return true;
    this.length += 1;
    if (this.length > MAX_LENGTH) throw new WrongFile({ code: "record_too_long", line: this.lastLine });
    if (this.state === "quoted") {
      if (character === '"') this.state = "closed";
      else this.cell += character;
    } else if (character === '"') this.quote();
    else if (character === this.delimiter) this.endCell();
    else this.add(character);
    return false;
  }

  /** Handles an opening quote, or the second half of an escaped quote. */
  private quote(): void {
    if (this.state === "plain") throw this.misplacedQuoteError();
    if (this.state === "closed") this.cell += '"';
    this.state = "quoted";
  }

  private add(character: string): void {
    if (this.state === "closed") throw this.misplacedQuoteError();
    this.state = "plain";
    this.cell += character;
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = "";
    this.state = "start";
  }

  private record(): CsvRecord {
    this.endCell();
    const { cells } = this;
    this.cells = [];
    this.length = 0;
    this.lastLine = this.line - 1;
    return { line: this.lastLine, cells };
  }

  private misplacedQuoteError(): WrongFile {
    return new WrongFile({ code: "quote_misplaced", line: this.line });
  }
}
