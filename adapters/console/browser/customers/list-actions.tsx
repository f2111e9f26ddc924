import { may } from "../api/session.js";
import { go, Link } from "../app/router.js";
import { codeItems } from "../parts/code-dialog.js";
import { DialogButton } from "../parts/dialog.js";
import { Menu } from "../parts/menu.js";
import { CustomerForm } from "./customer-form.js";
import { Export } from "./export.js";
import { Import } from "./import.js";
import { type ContactQuery, listCall } from "./list-query.js";

interface ListActionsProps {
  readonly query: ContactQuery;
  /** How many customers the list has. */
  readonly total: number;
  readonly onImported: () => void;
}

/** What is done with the list of customers as a whole. */
export function ListActions({ query, total, onImported }: ListActionsProps) {
  const items = codeItems(listCall(query));
  return (
    <>
      {may("user_tag:read") && (
        <Link class="button" to="/tags">
          Tags
        </Link>
      )}
      {may("user:create") && (
        <DialogButton text="Import" dialog={(close) => <Import onClose={close} onDone={onImported} />} />
      )}
      <DialogButton
        text="Export"
        dialog={(close) => <Export query={query} total={total} onClose={close} />}
      />
      {items.length > 0 && <Menu label="More about this list" items={items} />}
      {may("user:create") && (
        <DialogButton
          icon="plus"
          text="Add customer"
          kind="primary"
          dialog={(close) => (
            <CustomerForm
              customer={null}
              onClose={close}
              onSaved={({ id }) => go(`/customers/${encodeURIComponent(id)}`)}
            />
          )}
        />
      )}
    </>
  );
}
