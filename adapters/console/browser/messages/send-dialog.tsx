import type { Message, MessagePreview } from "../../../../src/resources/message.js";
import { api } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { useSaving } from "../parts/form.js";
import { Complaint } from "../parts/states.js";
import { tell } from "../parts/toasts.js";
import { zonedText } from "../parts/zoned-time.js";
import { counted } from "../words/en/forms.js";
import { type MessageSetup, quietUntil } from "./message-setup.js";
import { PreviewNumbers } from "./numbers.js";

interface SendDialogProps {
  readonly message: Message;
  readonly numbers: MessagePreview;
  readonly setup: MessageSetup;
  readonly onClose: () => void;
  readonly onSent: (message: Message) => void;
}

/** Asks before a message goes out, with who gets it and when. */
export function SendDialog({ message, numbers, setup, onClose, onSent }: SendDialogProps) {
  const { isBusy, error, save } = useSaving();
  const { sendAt, name } = message;
  const { wallet, email } = numbers.byChannel;
  const isLater = sendAt !== null;
  const how = [wallet > 0 && counted(wallet, "card"), email > 0 && counted(email, "mail")].filter(Boolean);
  const what = how.length === 0 ? "nobody" : how.join(" and ");
  const send = () =>
    save(async () => {
      const sent = await api.messages.send(message.id);
      tell(isLater ? "The message is scheduled" : "The message is on its way");
      onClose();
      onSent(sent);
    });
  return (
    <Dialog title={isLater ? `Schedule “${name}”?` : `Send “${name}”?`} onClose={onClose}>
      <PreviewNumbers message={message} numbers={numbers} />
      <p>{whenText(sendAt, setup)} Mails that have left can’t be taken back.</p>
      {how.length === 0 && <p class="note warn">Nobody would get it as things are now.</p>}
      {error !== null && <Complaint>{error.message}</Complaint>}
      <div class="actions">
        <Button text="Not yet" onClick={onClose} />
        <Button
          kind="primary"
          text={isLater ? `Schedule to ${what}` : `Send to ${what}`}
          disabled={isBusy}
          onClick={() => void send()}
        />
      </div>
    </Dialog>
  );
}

/** Says when a message begins that is sent now. */
function whenText(sendAt: string | null, setup: MessageSetup): string {
  const at = sendAt === null ? new Date() : new Date(sendAt);
  const until = quietUntil(setup, at);
  if (until !== null) return `Because of the quiet hours it begins at ${until} (${setup.timeZone}).`;
  return sendAt === null ? "It begins at once." : `It begins on ${zonedText(setup.timeZone, at)}.`;
}
