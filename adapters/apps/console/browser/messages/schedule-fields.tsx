import { Link } from "../app/router.js";
import { Check, TextField } from "../components/field.js";
import { isBetween } from "../components/zoned-time.js";
import { when as words } from "../words/en/message-editor.js";
import type { MessageEditorProps } from "./channel-fields.js";
import type { MessageDraft } from "./message-draft.js";
import type { MessageSetup } from "./message-setup.js";

/** Form fields for when a message is sent and when it expires. Times are in the organization's time zone. */
export function ScheduleFields({
  edited,
  setup,
  errorOf,
  onChange,
}: MessageEditorProps & { readonly setup: MessageSetup }) {
  const { sendAt, onWallet, respectsCap } = edited;
  const { timeZone, rules } = setup;
  const { cap } = rules;
  const timeField = (name: "sendAt" | "expiresAt" | "showUntil") => ({
    type: "datetime-local" as const,
    error: errorOf(name),
    value: edited[name],
    onText: (text: string) => onChange({ [name]: text } satisfies Partial<MessageDraft>),
  });
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <TextField label={words.begins} hint={words.beginsHint(timeZone)} {...timeField("sendAt")} />
      <QuietHours sendAt={sendAt} setup={setup} />
      {cap !== null && (
        <Check
          isChecked={respectsCap}
          hint={words.capHint(cap.messages, cap.perDays)}
          onChange={(isOn) => onChange({ respectsCap: isOn })}
        >
          {words.cap}
        </Check>
      )}
      <details>
        <summary>{words.counts}</summary>
        <div class="columns">
          <TextField label={words.sentUntil} hint={words.sentUntilHint} {...timeField("expiresAt")} />
          {onWallet && (
            <TextField label={words.shownUntil} hint={words.shownUntilHint} {...timeField("showUntil")} />
          )}
        </div>
      </details>
    </section>
  );
}

interface QuietHoursProps {
  readonly sendAt: string;
  readonly setup: MessageSetup;
}

/** Shows the quiet hours, with a warning if the message would be sent during them. */
function QuietHours({ sendAt, setup: { rules } }: QuietHoursProps) {
  const { quietHours } = rules;
  if (quietHours === null) return null;
  const { from, to } = quietHours;
  if (sendAt !== "" && isBetween(sendAt.slice(11, 16), quietHours)) {
    return (
      <p class="note warn" role="status">
        {words.isQuiet(from, to)}
      </p>
    );
  }
  return (
    <p class="hint">
      {words.quietBefore} <Link to="/settings/messages">{words.quietHours}</Link>
      {words.quietTimes(from, to)}
    </p>
  );
}
