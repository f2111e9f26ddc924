import { hasScopes } from "../api/session.js";
import { Link, navigate } from "../app/router.js";
import { codeItems } from "../components/code-dialog.js";
import { DialogButton } from "../components/dialog.js";
import { Menu } from "../components/menu.js";
import { customers as words } from "../words/en/customers.js";
import { CustomerForm } from "./customer-form.js";
import { Export } from "./export.js";
import { buildListCall, type CustomerListQuery } from "./list-query.js";
import { LoadedImport } from "./loaded-import.js";

interface ListActionsProps {
  readonly query: CustomerListQuery;
  /** Number of customers in the list, across all pages. */
  readonly total: number;
  readonly onImported: () => void;
}

/** Links and buttons for actions on the whole customer list, such as importing and exporting. */
export function ListActions({ query, total, onImported }: ListActionsProps) {
  const items = codeItems(buildListCall(query));
  return (
    <>
      {hasScopes("user_tag:read") && (
        <Link class="button" to="/tags">
          {words.tags}
        </Link>
      )}
      {hasScopes("user:create") && (
        <DialogButton
          text={words.import}
          dialog={(close) => <LoadedImport onClose={close} onDone={onImported} />}
        />
      )}
      {hasScopes("user:read", "user_tag:read") && (
        <DialogButton
          text={words.export}
          dialog={(close) => <Export query={query} total={total} onClose={close} />}
        />
      )}
      {items.length > 0 && <Menu label={words.moreOfList} items={items} />}
      {hasScopes("user:create") && (
        <DialogButton
          icon="plus"
          text={words.add}
          kind="primary"
          dialog={(close) => (
            <CustomerForm
              customer={null}
              onClose={close}
              onSaved={({ id }) => navigate(`/customers/${encodeURIComponent(id)}`)}
            />
          )}
        />
      )}
    </>
  );
}
