import { useState } from "preact/hooks";
import type { Contact } from "../../../../src/resources/contact.js";
import type { Message } from "../../../../src/resources/message.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { nameOf } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { TextField } from "../parts/field.js";
import { useSaving } from "../parts/form.js";
import { Complaint } from "../parts/states.js";
import { tell } from "../parts/toasts.js";

interface TestDialogProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** Sends a message to one customer as a test: to oneself, whoever is a customer, too. */
export function TestDialog({ message, onClose }: TestDialogProps) {
  const [customer, setCustomer] = useState<Pick<Contact, "id" | "name" | "email"> | null>(null);
  const { isBusy, error, save } = useSaving();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    if (customer === null) return;
    void save(async () => {
      const { channel } = await api.messages.test(message.id, { userId: customer.id });
      const how = channel === "email" ? "as a mail" : "to the card in the wallet";
      tell(`A test is on its way to ${nameOf(customer)}, ${how}`);
      onClose();
    });
  };
  return (
    <Dialog title="Send a test" onClose={onClose} onSubmit={send}>
      <p class="quiet">
        It goes to one customer, such as yourself, by the first way that reaches them, whatever they agreed
        to. At most ten an hour.
      </p>
      {may("user:read") ? (
        <CustomerSearch label="To whom" onFound={setCustomer} />
      ) : (
        <TextField
          label="Id of the customer"
          value={customer?.id ?? ""}
          onText={(id) => setCustomer({ id, name: id, email: "" })}
        />
      )}
      {may("user:read") && customer !== null && (
        <p role="status">
          To{" "}
          <strong>
            <bdi>{nameOf(customer)}</bdi>
          </strong>
        </p>
      )}
      {error !== null && <Complaint>{error.message}</Complaint>}
      <div class="actions">
        <Button text="Cancel" onClick={onClose} />
        <Button text="Send the test" kind="primary" type="submit" disabled={isBusy || customer === null} />
      </div>
    </Dialog>
  );
}
