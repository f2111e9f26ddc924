import { Link } from "../app/router.js";
import { Check, TextField } from "../parts/field.js";
import { isBetween } from "../parts/zoned-time.js";
import type { EditedMessage } from "./edited-message.js";
import type { MessageSetup } from "./message-setup.js";
import type { MessagePartProps } from "./way-fields.js";

/** When a message is sent, by the organization's clocks, and for how long it counts. */
export function WhenFields({
  edited,
  setup,
  errorOf,
  onChange,
}: MessagePartProps & { readonly setup: MessageSetup }) {
  const { sendAt, onWallet, respectsCap } = edited;
  const { timeZone, rules } = setup;
  const { cap } = rules;
  const timeField = (name: "sendAt" | "expiresAt" | "showUntil") => ({
    type: "datetime-local" as const,
    error: errorOf(name),
    value: edited[name],
    onText: (text: string) => onChange({ [name]: text } satisfies Partial<EditedMessage>),
  });
  return (
    <section class="panel padded stack" aria-label="When">
      <h2>When</h2>
      <TextField
        label="Begins"
        hint={`By the clocks of ${timeZone}. Empty: as soon as you send it.`}
        {...timeField("sendAt")}
      />
      <QuietHours sendAt={sendAt} setup={setup} />
      {cap !== null && (
        <Check
          isChecked={respectsCap}
          hint={`At most ${cap.messages} in ${cap.perDays} days. Without this they get it all the same.`}
          onChange={(isOn) => onChange({ respectsCap: isOn })}
        >
          Leave out who has had enough messages
        </Check>
      )}
      <details>
        <summary>How long it counts</summary>
        <div class="columns">
          <TextField
            label="Sent until"
            hint="To nobody after that. Empty: for 24 hours."
            {...timeField("expiresAt")}
          />
          {onWallet && (
            <TextField
              label="On cards until"
              hint="At most 30 days. Empty: for 7 days."
              {...timeField("showUntil")}
            />
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

/** Says when the quiet hours are, and what they do to a message at this time. */
function QuietHours({ sendAt, setup: { rules } }: QuietHoursProps) {
  const { quietHours } = rules;
  if (quietHours === null) return null;
  const { from, to } = quietHours;
  if (sendAt !== "" && isBetween(sendAt.slice(11, 16), quietHours)) {
    return (
      <p class="note warn" role="status">
        That is in the quiet hours, from {from} until {to}: it begins at {to}.
      </p>
    );
  }
  return (
    <p class="hint">
      Nothing begins in the <Link to="/settings/messages">quiet hours</Link>, from {from} until {to}.
    </p>
  );
}
