import { useEffect, useState } from "preact/hooks";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import { createCalls } from "../api/calls.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { download } from "../components/download.js";
import { showError } from "../components/toasts.js";
import { parts } from "../words/en/parts.js";
import { exporting as words } from "../words/en/transfer.js";
import { type CustomerListQuery, loadContacts } from "./list-query.js";
import { loadCsv } from "./load-csv.js";

const PAGE_SIZE = 200;

interface ExportProps {
  readonly query: CustomerListQuery;
  readonly total: number;
  readonly onClose: () => void;
}

/** A dialog that exports all customers in the list to a CSV file. The customers are loaded page by page. */
export function Export({ query, total, onClose }: ExportProps) {
  const [exportedCount, setExportedCount] = useState<number | null>(null);
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);

  const run = async () => {
    setExportedCount(0);
    const calls = createCalls({ signal: controller.signal });
    try {
      const { toCustomersCsv } = await loadCsv();
      const contacts: Contact[] = [];
      // Oldest first, so that customers added while the export runs come last.
      for (let page = 0, pages = 1; page < pages; page += 1) {
        const pageQuery: CustomerListQuery = { ...query, sort: "createdAt,asc", page };
        const { content, totalPages } = await loadContacts(calls, pageQuery, PAGE_SIZE);
        contacts.push(...content);
        pages = totalPages;
        setExportedCount(contacts.length);
      }
      download(`${words.fileName}.csv`, toCustomersCsv(contacts));
      onClose();
    } catch (error) {
      if (controller.signal.aborted) return;
      showError(error);
      setExportedCount(null);
    }
  };

  return (
    <Dialog title={words.title} onClose={onClose}>
      <p>{words.what(total)} </p>
      {exportedCount !== null && (
        <progress
          class="progress"
          aria-label={words.progress}
          value={exportedCount}
          max={Math.max(total, 1)}
        />
      )}
      <div class="actions">
        <Button text={parts.cancel} onClick={onClose} />
        <Button
          text={words.verb}
          kind="primary"
          disabled={exportedCount !== null}
          onClick={() => void run()}
        />
      </div>
    </Dialog>
  );
}
