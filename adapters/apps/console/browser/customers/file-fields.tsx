import type { DayOrder } from "../../../csv/dates.js";
import { type Encoding, encodings, type Reading } from "../../../csv/encodings.js";
import type { CsvForm } from "../../../csv/reader.js";
import type { Choices } from "../components/choices.js";
import { Field, Select } from "../components/field.js";
import { importing as words } from "../words/en/importing.js";
import type { CsvReading } from "./csv-file.js";

/** The chosen file and the user's answers to questions about it. Each answer is `null` until the user gives it. */
export interface FileChoice extends CsvForm {
  readonly source: File | null;
  /** A number that increases each time a file is chosen. */
  readonly nth: number;
  readonly dayOrder: DayOrder | null;
}

export const noChoice: FileChoice = { source: null, nth: 0, encoding: null, delimiter: null, dayOrder: null };

interface FileFieldsProps {
  readonly choice: FileChoice;
  readonly read: CsvReading | null;
  /** The reason the file can't be imported, or an empty string if it can. */
  readonly error: string;
  readonly onChoose: (choice: FileChoice) => void;
}

/** Lets the user choose a CSV file, and asks for the encoding or delimiter if it can't be detected. */
export function FileFields({ choice, read, error, onChoose }: FileFieldsProps) {
  const readings = read?.readings ?? null;
  const delimiters = read?.delimiters ?? [];
  const date = read?.file?.unclearDate ?? null;
  return (
    <>
      <Field label={words.file} hint={words.fileHint} error={error}>
        <input
          type="file"
          accept=".csv,text/csv"
          onChange={({ currentTarget: { files } }) => {
            const source = files?.[0];
            if (source !== undefined) onChoose({ ...noChoice, source, nth: choice.nth + 1 });
          }}
        />
      </Field>
      {readings !== null && (
        <Field label={words.encoding} hint={words.encodingHint}>
          <Select
            value={choice.encoding ?? ""}
            choices={encodingChoices(readings)}
            onChoose={(encoding) => onChoose({ ...choice, encoding: encoding || null })}
          />
        </Field>
      )}
      {delimiters.length > 0 && (
        <Field label={words.delimiter} hint={words.delimiterHint}>
          <Select
            value={choice.delimiter ?? ""}
            choices={delimiterChoices(delimiters)}
            onChoose={(delimiter) => onChoose({ ...choice, delimiter: delimiter || null })}
          />
        </Field>
      )}
      {date !== null && (
        <Field label={words.dates} hint={words.datesHint(date)}>
          <Select
            value={choice.dayOrder ?? ""}
            choices={dayOrderChoices}
            onChoose={(dayOrder) => onChoose({ ...choice, dayOrder: dayOrder || null })}
          />
        </Field>
      )}
    </>
  );
}

const dayOrderChoices: Choices<DayOrder | ""> = [
  ["", words.choose],
  ["day-first", words.dayFirst],
  ["month-first", words.monthFirst],
];

/** Lists the encodings in which the sample word is readable, followed by all others. */
function encodingChoices(readings: readonly Reading[]): Choices<Encoding | ""> {
  const others = encodings.filter((encoding) => readings.every((reading) => reading.encoding !== encoding));
  return [
    ["", words.choose],
    ...readings.map(({ encoding, text }) => [encoding, words.reading(text, encoding)] as const),
    ...others.map((encoding) => [encoding, encoding] as const),
  ];
}

function delimiterChoices(delimiters: readonly string[]): Choices<string> {
  const nameOf = (delimiter: string) => (delimiter === "\t" ? words.tab : delimiter);
  return [["", words.choose], ...delimiters.map((delimiter) => [delimiter, nameOf(delimiter)] as const)];
}
