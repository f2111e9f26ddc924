import { useEffect, useState } from "preact/hooks";
import type { Contact } from "../../../../src/resources/contact.js";
import type { Page } from "../../../../src/resources/page.js";
import { get } from "../app/call.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { download } from "../parts/download.js";
import { tellFailure } from "../parts/toasts.js";
import { counted } from "../parts/words.js";
import { type ContactQuery, contactsPath } from "./contact-list.js";
import { customersFile } from "./csv.js";

const SIZE = 200;

interface ExportProps {
  readonly query: ContactQuery;
  readonly total: number;
  readonly onClose: () => void;
}

/** Writes all whom the list shows into a CSV file, page by page. */
export function Export({ query, total, onClose }: ExportProps) {
  const [done, setDone] = useState<number | null>(null);
  const [aborter] = useState(() => new AbortController());
  useEffect(() => () => aborter.abort(), [aborter]);

  const run = async () => {
    setDone(0);
    try {
      const contacts: Contact[] = [];
      // Oldest first: who is added meanwhile comes at the end and moves nobody.
      for (let page = 0, pages = 1; page < pages; page += 1) {
        const path = contactsPath({ ...query, sort: "createdAt,asc", page }, SIZE);
        const { content, totalPages } = await get<Page<Contact>>(path, aborter.signal);
        contacts.push(...content);
        pages = totalPages;
        setDone(contacts.length);
      }
      download("customers.csv", customersFile(contacts));
      onClose();
    } catch (error) {
      if (aborter.signal.aborted) return;
      tellFailure(error);
      setDone(null);
    }
  };

  return (
    <Dialog title="Export customers" onClose={onClose}>
      <p>
        {counted(total, "customer")}, as the list shows them, into a CSV file with email, name, phone and your
        id.
      </p>
      {done !== null && (
        <progress
          class="progress"
          aria-label="Progress of the export"
          value={done}
          max={Math.max(total, 1)}
        />
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={done !== null} onClick={() => void run()}>
          Export
        </Button>
      </div>
    </Dialog>
  );
}
