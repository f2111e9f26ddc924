import { useEffect, useState } from "preact/hooks";
import { unguarded } from "../../../csv/formula-guard.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { download } from "../parts/download.js";
import { Field } from "../parts/field.js";
import { counted, numberText } from "../parts/words.js";
import { type CsvFile, csvFile, csvOf } from "./csv.js";
import { rowAdder } from "./import-row.js";
import { type ImportState, importRows } from "./import-rows.js";
import { ImportTags } from "./import-tags.js";

const SHOWN = 50;

const noFile: CsvFile = { headers: [], columns: [], rows: [] };

interface ImportProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds customers from a CSV file, tells how far it is, and lists every row that was refused. */
export function Import({ onClose, onDone }: ImportProps) {
  const [chosen, setChosen] = useState<CsvFile>(noFile);
  const [isMakingTags, setMakingTags] = useState(false);
  const [error, setError] = useState("");
  const [state, setState] = useState<ImportState | null>(null);
  const [aborter] = useState(() => new AbortController());
  useEffect(() => () => aborter.abort(), [aborter]);

  const choose = async (files: FileList | null) => {
    const file = files?.[0];
    if (file === undefined) return;
    try {
      setChosen(csvFile(await file.text()));
      setError("");
    } catch (failed) {
      setChosen(noFile);
      setError(failed instanceof Error ? failed.message : "The file can’t be read.");
    }
  };

  const { columns, rows } = chosen;
  const emailAt = columns.indexOf("email");
  const run = async () => {
    const add = rowAdder(chosen, new ImportTags(isMakingTags), aborter.signal);
    await importRows(rows, add, setState, aborter.signal);
    onDone();
  };
  const refused = state?.refused ?? [];
  const isOver = state !== null && state.done === rows.length;
  return (
    <Dialog title="Import customers" isWide onClose={onClose}>
      {state === null ? (
        <>
          <Field
            label="CSV file"
            hint="The first line names the columns: email, name (or firstName and lastName), phone, externalId, tags. Others become metadata."
            error={error}
          >
            <input
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => void choose(event.currentTarget.files)}
            />
          </Field>
          {columns.includes("tags") && may("user_tag:write") && (
            <label class="check">
              <input
                type="checkbox"
                checked={isMakingTags}
                onChange={(event) => setMakingTags(event.currentTarget.checked)}
              />
              <span>Make the tags that do not exist</span>
            </label>
          )}
          {rows.length > 0 && <p>{counted(rows.length, "row")} to add.</p>}
        </>
      ) : (
        <>
          <progress
            class="progress"
            aria-label="Progress of the import"
            value={state.done}
            max={rows.length}
          />
          <p aria-live="polite" class="number">
            {numberText(state.done)} of {numberText(rows.length)}:{" "}
            {counted(state.done - refused.length, "customer")} added, {counted(refused.length, "row")} refused
            {state.waits ? " · waiting for the server" : ""}
          </p>
        </>
      )}
      {refused.length > 0 && (
        <div class="panel scroll-x refused">
          <table>
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col">Email</th>
                <th scope="col">Why it was refused</th>
              </tr>
            </thead>
            <tbody>
              {refused.slice(0, SHOWN).map(({ row, reason }) => (
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
        {isOver && refused.length > 0 && (
          <Button onClick={() => download("refused.csv", refusedFile(chosen, refused))}>
            Save the refused rows
          </Button>
        )}
        <Button onClick={onClose}>{state === null ? "Cancel" : isOver ? "Done" : "Stop"}</Button>
        {state === null && (
          <Button kind="primary" disabled={rows.length === 0} onClick={() => void run()}>
            Import
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** Without a column for what is wrong with each, it can be mended and imported. */
function refusedFile({ headers }: CsvFile, refused: ImportState["refused"]): string {
  return csvOf(
    [...headers, "reason"],
    refused.map(({ row, reason }) => [...row.cells.map(unguarded), reason]),
  );
}
