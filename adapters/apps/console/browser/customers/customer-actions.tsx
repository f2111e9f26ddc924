import type { User } from "../../../../../src/customers/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { navigate } from "../app/router.js";
import { codeItems } from "../components/code-dialog.js";
import { ConfirmDialog, DialogButton } from "../components/dialog.js";
import { download } from "../components/download.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customer as words } from "../words/en/customer.js";
import { CustomerForm } from "./customer-form.js";
import { nameOf } from "./customer-name.js";

interface CustomerActionsProps {
  readonly customer: User;
  readonly onSaved: (customer: User) => void;
}

/** The buttons and menu for actions on a customer. Editing is a button, while rare or irreversible actions are in the menu. */
export function CustomerActions({ customer, onSaved }: CustomerActionsProps) {
  const { id } = customer;
  const name = nameOf(customer);
  /** Downloads all of the customer's data. The audit trail records the export. */
  const saveAll = () =>
    runWithToast(async () => {
      const dossier = await api.users.dossier(id);
      download(`${id}.json`, JSON.stringify(dossier, null, 2), "application/json");
    });
  const items: readonly MenuItem[] = [
    ...codeItems({ group: "users", name: "get", args: [id] }),
    ...(hasScopes("user:read", "user_tag:read", "pass:read", "webhook:manage")
      ? [
          {
            text: words.saveCopy,
            hint: words.saveCopyHint,
            run: () => void saveAll(),
          },
        ]
      : []),
    ...(hasScopes("user:update")
      ? [
          {
            text: words.delete,
            hint: words.deleteHint,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.deleteTitle(name)}
                verb={words.deleteVerb(name)}
                call={() => api.users.delete(id)}
                said={words.deleted(name)}
                onDone={() => navigate("/customers")}
                onClose={close}
              >
                <p>{words.deleteText} </p>
              </ConfirmDialog>
            ),
          },
          {
            text: words.forget,
            hint: words.forgetHint,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.forgetTitle(name)}
                verb={words.forgetVerb(name)}
                call={() => api.users.erase(id)}
                said={words.forgotten(name)}
                onDone={() => navigate("/customers")}
                onClose={close}
              >
                <p>{words.forgetText} </p>
              </ConfirmDialog>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      {hasScopes("user:update") && (
        <DialogButton
          text={words.edit}
          dialog={(close) => (
            <CustomerForm
              customer={customer}
              onClose={close}
              onSaved={(saved) => {
                onSaved(saved);
                close();
                showToast(words.saved);
              }}
            />
          )}
        />
      )}
      {items.length > 0 && <Menu label={words.more} items={items} />}
    </>
  );
}
