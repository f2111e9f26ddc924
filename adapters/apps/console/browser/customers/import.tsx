import { useEffect, useState } from "preact/hooks";
import { unescapeFormula } from "../../../../../src/base/values/formula-guard.js";
import type { DayOrder } from "../../../csv/dates.js";
import { type Encoding, encodings, type Reading } from "../../../csv/encodings.js";
import type { CsvForm } from "../../../csv/reader.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import type { Choices } from "../components/choices.js";
import { Dialog } from "../components/dialog.js";
import { download } from "../components/download.js";
import { Check, Field, Select } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { runWithToast } from "../components/toasts.js";
import { importing as words } from "../words/en/importing.js";
import { parts } from "../words/en/parts.js";
import { type CsvFile, type CsvReading, readFile } from "./csv-file.js";
import { type ImportState, importRows } from "./import-rows.js";
import { loadCsv } from "./load-csv.js";

const noChoice: FileChoice = { source: null, nth: 0, encoding: null, delimiter: null, dayOrder: null };

const dayOrderChoices: Choices<DayOrder | ""> = [
  ["", words.choose],
  ["day-first", words.dayFirst],
  ["month-first", words.monthFirst],
];

const MAX_SHOWN = 50;

const noFile: CsvFile = { headers: [], columns: [], rows: [], unclearDate: null };

/** A dialog that imports customers from a CSV file. Shows the progress and lists the rows that couldn't be imported. */
export function Import({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [choice, setChoice] = useState(noChoice);
  const [shouldCreateTags, setShouldCreateTags] = useState(false);
  const [state, setState] = useState<ImportState | null>(null);
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);

  const { source, nth, encoding, delimiter, dayOrder } = choice;
  const loadedReading = useLoad(JSON.stringify([nth, encoding, delimiter]), async () =>
    source === null ? null : readFile(new Uint8Array(await source.arrayBuffer()), choice),
  );
  const chosenFile = (!loadedReading.isLoading && loadedReading.value?.file) || noFile;
  const { columns, rows, unclearDate } = chosenFile;
  const isReady = rows.length > 0 && (unclearDate === null || dayOrder !== null);
  const emailAt = columns.indexOf("email");
  const run = async () => {
    await importRows(chosenFile, { dayOrder, shouldCreateTags }, setState, controller.signal);
    onDone();
  };
  const refusedRows = state?.refused ?? [];
  const fault = loadedReading.value?.fault ?? null;
  const error =
    loadedReading.error !== null ? words.unreadable : fault === null ? "" : words.fileWrong(fault);
  const isFinished = state !== null && state.done === rows.length;
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      {state === null ? (
        <>
          <FileFields choice={choice} reading={loadedReading.value} error={error} onChoose={setChoice} />
          {columns.includes("tags") && hasScopes("user_tag:write") && (
            <Check isChecked={shouldCreateTags} onChange={setShouldCreateTags}>
              {words.makeTags}
            </Check>
          )}
          {rows.length > 0 && <p>{words.toAdd(rows.length)}</p>}
        </>
      ) : (
        <>
          <progress class="progress" aria-label={words.progress} value={state.done} max={rows.length} />
          <p aria-live="polite" class="number">
            {words.state(state.done, rows.length, state.done - refusedRows.length, refusedRows.length)}
            {state.waits ? ` · ${words.waits}` : ""}
          </p>
        </>
      )}
      {refusedRows.length > 0 && (
        <div class="panel scroll-x refused">
          <table>
            <thead>
              <tr>
                <th scope="col">{words.line}</th>
                <th scope="col">{words.email}</th>
                <th scope="col">{words.why}</th>
              </tr>
            </thead>
            <tbody>
              {refusedRows.slice(0, MAX_SHOWN).map(({ row, reason }) => (
                <tr key={row.line}>
                  <td class="number">{row.line}</td>
                  <td>{row.cells[emailAt]}</td>
                  <td>{reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="actions">
        {isFinished && refusedRows.length > 0 && (
          <Button
            text={words.saveRefused}
            onClick={() => void runWithToast(() => saveRefused(chosenFile, refusedRows))}
          />
        )}
        <Button
          text={state === null ? parts.cancel : isFinished ? words.done : words.stop}
          onClick={onClose}
        />
        {state === null && (
          <Button text={words.verb} kind="primary" disabled={!isReady} onClick={() => void run()} />
        )}
      </div>
    </Dialog>
  );
}

/** Downloads a CSV file of the refused rows and the reasons, so that the user can correct and import them again. */
async function saveRefused({ headers }: CsvFile, refusedRows: ImportState["refused"]): Promise<void> {
  const { toCsv } = await loadCsv();
  const rows = refusedRows.map(({ row, reason }) => [...row.cells.map(unescapeFormula), reason]);
  download(`${words.refusedName}.csv`, toCsv([...headers, "reason"], rows));
}

/** The chosen file and the user's answers to questions about it. Each answer is `null` until the user gives it. */
interface FileChoice extends CsvForm {
  readonly source: File | null;
  /** A number that increases each time a file is chosen. */
  readonly nth: number;
  readonly dayOrder: DayOrder | null;
}

interface FileFieldsProps {
  readonly choice: FileChoice;
  readonly reading: CsvReading | null;
  /** The reason the file can't be imported, or an empty string if it can. */
  readonly error: string;
  readonly onChoose: (choice: FileChoice) => void;
}

/** Lets the user choose a CSV file, and asks for the encoding or delimiter if it can't be detected. */
function FileFields({ choice, reading, error, onChoose }: FileFieldsProps) {
  const readings = reading?.readings ?? null;
  const delimiters = reading?.delimiters ?? [];
  const date = reading?.file?.unclearDate ?? null;
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
            choices={listEncodingChoices(readings)}
            onChoose={(encoding) => onChoose({ ...choice, encoding: encoding || null })}
          />
        </Field>
      )}
      {delimiters.length > 0 && (
        <Field label={words.delimiter} hint={words.delimiterHint}>
          <Select
            value={choice.delimiter ?? ""}
            choices={listDelimiterChoices(delimiters)}
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

/** Lists the encodings in which the sample word is readable, followed by all others. */
function listEncodingChoices(readings: readonly Reading[]): Choices<Encoding | ""> {
  const others = encodings.filter((encoding) => readings.every((reading) => reading.encoding !== encoding));
  return [
    ["", words.choose],
    ...readings.map(({ encoding, text }) => [encoding, words.reading(text, encoding)] as const),
    ...others.map((encoding) => [encoding, encoding] as const),
  ];
}

function listDelimiterChoices(delimiters: readonly string[]): Choices<string> {
  const formatDelimiter = (delimiter: string) => (delimiter === "\t" ? words.tab : delimiter);
  return [
    ["", words.choose],
    ...delimiters.map((delimiter) => [delimiter, formatDelimiter(delimiter)] as const),
  ];
}
