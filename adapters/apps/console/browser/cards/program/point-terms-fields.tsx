import { CountField, Field, Select, TextField } from "../../components/field.js";
import { expiries, program as programWords, terms as words } from "../../words/en/card-program.js";
import { Fold } from "./fold.js";
import type { PointsDraft } from "./program-draft.js";

interface PointTermsFieldsProps {
  readonly points: PointsDraft;
  /** Returns the error message at or below a path within the terms, such as `expiry`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (points: PointsDraft, path: string) => void;
}

/** An editor for the points of a card: their name, and from when until when customers can use them. */
export function PointTermsFields({ points, findError, onChange }: PointTermsFieldsProps) {
  const { unit, pendingDays, expiry, expiresAfter, graceDays } = points;
  const change = (part: Partial<PointsDraft>, path: string) => onChange({ ...points, ...part }, path);
  return (
    <div class="stack">
      <h3>{words.title}</h3>
      <TextField
        label={words.unit}
        hint={words.unitHint}
        error={findError("unit")}
        maxLength={30}
        value={unit}
        onText={(text) => change({ unit: text }, "unit")}
      />
      <Field label={words.expiry}>
        <Select value={expiry} choices={expiries} onChoose={(kind) => change({ expiry: kind }, "expiry")} />
      </Field>
      {expiry !== "never" && (
        <CountField
          label={expiry === "days" ? words.days : words.months}
          error={findError("expiry")}
          min={1}
          value={expiresAfter}
          onText={(text) => change({ expiresAfter: text }, "expiresAfter")}
        />
      )}
      <Fold
        title={programWords.more}
        isFilled={pendingDays !== "0" || graceDays !== "0"}
        error={findError("pendingDays") ?? findError("graceDays")}
      >
        <CountField
          label={words.pendingDays}
          hint={words.pendingDaysHint}
          error={findError("pendingDays")}
          max={365}
          value={pendingDays}
          onText={(text) => change({ pendingDays: text }, "pendingDays")}
        />
        <CountField
          label={words.graceDays}
          hint={words.graceDaysHint}
          error={findError("graceDays")}
          max={90}
          value={graceDays}
          onText={(text) => change({ graceDays: text }, "graceDays")}
        />
      </Fold>
    </div>
  );
}
