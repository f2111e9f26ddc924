import { useEffect, useState } from "preact/hooks";
import { call } from "../app/call.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { download } from "../parts/download.js";
import { Field } from "../parts/field.js";
import { counted, numberText } from "../parts/words.js";
import { type CsvRow, csvOf, csvRows, userOf } from "./csv.js";
import { type ImportState, importRows } from "./import-rows.js";

const SHOWN = 50;

interface ImportProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds customers from a CSV file, tells how far it is, and lists every row that was refused. */
export function Import({ onClose, onDone }: ImportProps) {
  const [rows, setRows] = useState<readonly CsvRow[]>([]);
  const [error, setError] = useState("");
  const [state, setState] = useState<ImportState | null>(null);
  const [aborter] = useState(() => new AbortController());
  useEffect(() => () => aborter.abort(), [aborter]);

  const choose = async (files: FileList | null) => {
    const file = files?.[0];
    if (file === undefined) return;
    try {
      setRows(csvRows(await file.text()));
      setError("");
    } catch (failed) {
      setRows([]);
      setError(failed instanceof Error ? failed.message : "The file can’t be read.");
    }
  };

  const add = async (row: CsvRow): Promise<void> => {
    await call("POST", "/v1/users", userOf(row), { signal: aborter.signal });
  };
  const run = async () => {
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
            hint="The first line names the columns: email, name, phone, externalId. Others become metadata."
            error={error}
          >
            <input
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => void choose(event.currentTarget.files)}
            />
          </Field>
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
                  <td>{row.values.email}</td>
                  <td>{reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="actions">
        {isOver && refused.length > 0 && (
          <Button onClick={() => download("refused.csv", refusedFile(refused))}>Save the refused rows</Button>
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

function refusedFile(refused: ImportState["refused"]): string {
  const columns = [...new Set(refused.flatMap(({ row }) => Object.keys(row.values)))];
  return csvOf(
    [...columns, "reason"],
    refused.map(({ row, reason }) => [...columns.map((column) => row.values[column] ?? ""), reason]),
  );
}
