import { useEffect, useState } from "preact/hooks";
import { unguarded } from "../../../../src/values/formula-guard.js";
import { may } from "../api/session.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { download } from "../parts/download.js";
import { Check, Field } from "../parts/field.js";
import { attempt } from "../parts/toasts.js";
import { parts } from "../words/en/parts.js";
import { importing as words } from "../words/en/transfer.js";
import type { CsvFile } from "./csv.js";
import { type ImportState, importRows } from "./import-rows.js";
import { loadCsv } from "./load-csv.js";

const SHOWN = 50;

const noFile: CsvFile = { headers: [], columns: [], rows: [] };

/** Adds customers from a CSV file, shows the progress, and lists every row that was refused. */
export function Import({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
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
      setChosen(await read(file));
      setError("");
    } catch (failed) {
      setChosen(noFile);
      setError(failed instanceof Error ? failed.message : words.unreadable);
    }
  };

  const { columns, rows } = chosen;
  const emailAt = columns.indexOf("email");
  const run = async () => {
    await importRows(chosen, isMakingTags, setState, aborter.signal);
    onDone();
  };
  const refused = state?.refused ?? [];
  const isOver = state !== null && state.done === rows.length;
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      {state === null ? (
        <>
          <Field label={words.file} hint={words.fileHint} error={error}>
            <input
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => void choose(event.currentTarget.files)}
            />
          </Field>
          {columns.includes("tags") && may("user_tag:write") && (
            <Check isChecked={isMakingTags} onChange={setMakingTags}>
              {words.makeTags}
            </Check>
          )}
          {rows.length > 0 && <p>{words.toAdd(rows.length)}</p>}
        </>
      ) : (
        <>
          <progress class="progress" aria-label={words.progress} value={state.done} max={rows.length} />
          <p aria-live="polite" class="number">
            {words.state(state.done, rows.length, state.done - refused.length, refused.length)}
            {state.waits ? ` · ${words.waits}` : ""}
          </p>
        </>
      )}
      {refused.length > 0 && (
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
          <Button text={words.saveRefused} onClick={() => void attempt(() => saveRefused(chosen, refused))} />
        )}
        <Button text={state === null ? parts.cancel : isOver ? words.done : words.stop} onClick={onClose} />
        {state === null && (
          <Button text={words.verb} kind="primary" disabled={rows.length === 0} onClick={() => void run()} />
        )}
      </div>
    </Dialog>
  );
}

/** @throws {Error} saying in words why it can't be read. */
async function read(file: File): Promise<CsvFile> {
  const { csvFile, WrongFile } = await loadCsv();
  try {
    return csvFile(await file.text());
  } catch (error) {
    throw error instanceof WrongFile ? error : new Error(words.unreadable);
  }
}

/** Saves a file of the refused rows, each with its reason, which can be corrected and imported. */
async function saveRefused({ headers }: CsvFile, refused: ImportState["refused"]): Promise<void> {
  const { csvOf } = await loadCsv();
  const rows = refused.map(({ row, reason }) => [...row.cells.map(unguarded), reason]);
  download(`${words.refusedName}.csv`, csvOf([...headers, "reason"], rows));
}
