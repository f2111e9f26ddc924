import type { User } from "../../../../src/resources/user.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { go } from "../app/router.js";
import { codeItems } from "../parts/code-dialog.js";
import { ConfirmDialog, DialogButton } from "../parts/dialog.js";
import { download } from "../parts/download.js";
import { Menu, type MenuItem } from "../parts/menu.js";
import { attempt, tell } from "../parts/toasts.js";
import { CustomerForm } from "./customer-form.js";
import { nameOf } from "./customer-name.js";

interface CustomerActionsProps {
  readonly customer: User;
  readonly onSaved: (customer: User) => void;
}

/** What is done with a customer as a whole: editing, and in a menu what is needed seldom or can't be undone. */
export function CustomerActions({ customer, onSaved }: CustomerActionsProps) {
  const { id } = customer;
  const name = nameOf(customer);
  /** The audit trail notes it. */
  const saveAll = () =>
    attempt(async () => {
      const dossier = await api.users.dossier(id);
      download(`${id}.json`, JSON.stringify(dossier, null, 2), "application/json");
    });
  const items: readonly MenuItem[] = [
    ...codeItems({ group: "users", name: "get", args: [id] }),
    ...(may("user:read", "user_tag:read", "pass:read", "webhook:manage")
      ? [
          {
            text: "Save a copy of their data",
            hint: "All that is known, as a file for the customer, who has a right to it.",
            run: () => void saveAll(),
          },
        ]
      : []),
    ...(may("user:update")
      ? [
          {
            text: "Delete customer",
            hint: "Their cards, stamps and tags go. The log keeps what happened.",
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={`Delete ${name}?`}
                verb={`Delete ${name}`}
                call={() => api.users.delete(id)}
                said={`${name} was deleted`}
                onDone={() => go("/customers")}
                onClose={close}
              >
                <p>
                  The customer’s tags, cards and stamps go too, and the cards no longer scan. The log keeps
                  what happened, with the name. This can’t be undone.
                </p>
              </ConfirmDialog>
            ),
          },
          {
            text: "Forget for good",
            hint: "For somebody who asks to be forgotten: the log says nothing of them either.",
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={`Forget ${name}?`}
                verb={`Forget ${name}`}
                call={() => api.users.erase(id)}
                said={`${name} was forgotten`}
                onDone={() => go("/customers")}
                onClose={close}
              >
                <p>
                  As deleting, and nothing that tells of the person stays in events, answers and wallets. The
                  statistics keep their numbers. This can’t be undone.
                </p>
              </ConfirmDialog>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      {may("user:update") && (
        <DialogButton
          text="Edit"
          dialog={(close) => (
            <CustomerForm
              customer={customer}
              onClose={close}
              onSaved={(saved) => {
                onSaved(saved);
                close();
                tell("Saved");
              }}
            />
          )}
        />
      )}
      {items.length > 0 && <Menu label="More about this customer" items={items} />}
    </>
  );
}
