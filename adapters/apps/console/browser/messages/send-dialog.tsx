import type { Message, MessagePreview } from "../../../../../src/messages/schema.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { formatZonedTime } from "../components/zoned-time.js";
import { sending as words } from "../words/en/message-sending.js";
import { findQuietHoursEnd, type MessageSetup } from "./message-setup.js";
import { PreviewNumbers } from "./numbers.js";

interface SendDialogProps {
  readonly message: Message;
  readonly numbers: MessagePreview;
  readonly setup: MessageSetup;
  readonly onClose: () => void;
  readonly onSent: (message: Message) => void;
}

/** A dialog that asks for confirmation before sending a message. Shows who will receive it and when. */
export function SendDialog({ message, numbers, setup, onClose, onSent }: SendDialogProps) {
  const { isBusy, error, save } = useSave();
  const { sendAt, name } = message;
  const { wallet, email } = numbers.byChannel;
  const isLater = sendAt !== null;
  const isForNoOne = wallet + email === 0;
  const send = () =>
    save(async () => {
      const sentMessage = await api.messages.send(message.id);
      showToast(isLater ? words.wasScheduled : words.wasSent);
      onClose();
      onSent(sentMessage);
    });
  return (
    <Dialog title={isLater ? words.laterTitle(name) : words.title(name)} onClose={onClose}>
      <PreviewNumbers message={message} numbers={numbers} />
      <p>
        {describeStart(sendAt, setup)} {message.channels.includes("email") && words.noWayBack}
      </p>
      {isForNoOne && <p class="note warn">{words.nobody}</p>}
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      <div class="actions">
        <Button kind={isForNoOne ? "primary" : ""} text={words.no} onClick={onClose} />
        <Button
          kind={isForNoOne ? "" : "primary"}
          text={isLater ? words.schedule(wallet, email) : words.send(wallet, email)}
          disabled={isBusy}
          onClick={() => void send()}
        />
      </div>
    </Dialog>
  );
}

/** Describes when the message starts if the user confirms now. */
function describeStart(sendAt: string | null, setup: MessageSetup): string {
  const startTime = sendAt === null ? new Date() : new Date(sendAt);
  const until = findQuietHoursEnd(setup, startTime);
  if (until !== null) return words.afterQuietHours(until, setup.timeZone);
  return sendAt === null ? words.atOnce : words.on(formatZonedTime(setup.timeZone, startTime));
}
