import { useEffect, useState } from "preact/hooks";
import { createCalls } from "../api/calls.js";
import { Button } from "../components/button.js";
import { saveFile } from "../components/download.js";
import { showError, showToast } from "../components/toasts.js";
import { locale } from "../words/en/forms.js";
import { everything as words } from "../words/en/transfer.js";

const MEGABYTE = 1_000_000;

const megabytes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** A button that downloads all of the organization's data as a single file. */
export function ExportEverything() {
  const [aborter, setAborter] = useState<AbortController | null>(null);
  const [bytes, setBytes] = useState(0);
  useEffect(() => () => aborter?.abort(), [aborter]);

  const run = async () => {
    const mine = new AbortController();
    setAborter(mine);
    setBytes(0);
    try {
      const pieces: Blob[] = [];
      let size = 0;
      for await (const piece of createCalls({ signal: mine.signal }).exports.everything()) {
        // The browser may keep a blob outside of memory.
        pieces.push(new Blob([piece]));
        size += piece.byteLength;
        setBytes(size);
      }
      saveFile(nameOn(new Date()), new Blob(pieces, { type: "application/zip" }));
      showToast(words.done);
    } catch (error) {
      if (!mine.signal.aborted) showError(error);
    }
    setAborter(null);
  };

  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p>{words.what}</p>
      <p class="hint">{words.care}</p>
      {aborter !== null && <p role="status">{words.soFar(megabytes.format(bytes / MEGABYTE))}</p>}
      <div class="row">
        {aborter === null ? (
          <Button text={words.verb} onClick={() => void run()} />
        ) : (
          <Button text={words.cancel} onClick={() => aborter.abort()} />
        )}
      </div>
    </section>
  );
}

/** Returns the file name, which contains today's date on this device. */
function nameOn(now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${words.fileName}-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.zip`;
}
