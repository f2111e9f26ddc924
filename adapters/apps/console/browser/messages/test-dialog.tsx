import { useState } from "preact/hooks";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import type { Message } from "../../../../../src/messages/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useSave } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { testing as words } from "../words/en/message-sending.js";

interface TestDialogProps {
  readonly message: Message;
  readonly onClose: () => void;
}

/** A dialog that sends a message to one customer as a test. */
export function TestDialog({ message, onClose }: TestDialogProps) {
  const [customer, setCustomer] = useState<Pick<Contact, "id" | "name" | "email"> | null>(null);
  const { isBusy, error, save } = useSave();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    if (customer === null) return;
    void save(async () => {
      const { channel } = await api.messages.test(message.id, { userId: customer.id });
      showToast(words.wasSent(formatCustomerName(customer), channel));
      onClose();
    });
  };
  return (
    <Dialog title={words.title} onClose={onClose} onSubmit={send}>
      <p class="quiet">{words.hint}</p>
      {hasScopes("user:read") ? (
        <CustomerSearch label={words.to} onFound={setCustomer} />
      ) : (
        <TextField
          label={words.id}
          value={customer?.id ?? ""}
          onText={(id) => setCustomer({ id, name: id, email: "" })}
        />
      )}
      {hasScopes("user:read") && customer !== null && (
        <p role="status">
          {words.chosen}{" "}
          <strong>
            <bdi>{formatCustomerName(customer)}</bdi>
          </strong>
        </p>
      )}
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      <div class="actions">
        <Button text={words.cancel} onClick={onClose} />
        <Button text={words.send} kind="primary" type="submit" disabled={isBusy || customer === null} />
      </div>
    </Dialog>
  );
}
