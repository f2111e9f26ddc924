import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Template } from "../../../../../../src/cards/schema.js";
import { hasScopes } from "../../api/session.js";
import { Button } from "../../components/button.js";
import { ConfirmButton } from "../../components/dialog.js";
import { Loading } from "../../components/feedback.js";
import { CountField, Field, Select, TextField } from "../../components/field.js";
import { useLoad } from "../../components/load.js";
import { expiries, terms as termWords, program as words } from "../../words/en/card-program.js";
import { cards } from "../../words/en/cards.js";
import { moneyText } from "../../words/en/forms.js";
import { programId } from "../card-paths.js";
import { findDecimals } from "./amount-text.js";
import { createCardUnit } from "./card-unit.js";
import { EarningFields } from "./earning-fields.js";
import { Fold } from "./fold.js";
import {
  createEarningDraft,
  createPointsDraft,
  type PointsDraft,
  type ProgramDraft,
  toProgramDraft,
} from "./program-draft.js";

export { buildProgramChanges } from "./program-draft.js";

/** The currency of new rules if the shop hasn't set its own. */
const DEFAULT_CURRENCY = "EUR";

interface ProgramSectionProps {
  readonly template: Template;
  /** The user's changes, or `null` if there are none. */
  readonly draft: ProgramDraft | null;
  /** Error messages, keyed by the field's path in the template, such as `earning.rules.0.give`. */
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (draft: ProgramDraft, path: string) => void;
}

/** An editor for what purchases give on a card, and for the card's points. */
export function ProgramSection({ template, draft, errors, onChange }: ProgramSectionProps) {
  const savedDraft = useMemo(() => toProgramDraft(template), [template]);
  const program = draft ?? savedDraft;
  const { earning, points } = program;
  const unit = createCardUnit(template.type, points?.unit ?? "");
  const title = unit.isPoints ? cards.points : cards.stamps;
  const section = useRef<HTMLElement>(null);
  // The browser can't scroll to a section that loads after the page.
  useLayoutEffect(() => {
    if (location.hash === `#${programId}`) section.current?.scrollIntoView();
  }, []);
  const findError = (path: string) =>
    Object.entries(errors).find(([name]) => name === path || name.startsWith(`${path}.`))?.[1];
  return (
    <section ref={section} id={programId} class="panel padded stack" aria-label={title}>
      <h2>{title}</h2>
      {errors.earning !== undefined && (
        <p class="field-error" role="alert">
          {errors.earning}
        </p>
      )}
      {earning === null ? (
        <StartEarning
          isPoints={unit.isPoints}
          points={points}
          onStart={(currency) =>
            onChange(
              {
                earning: createEarningDraft(template.type, currency),
                points: unit.isPoints ? (points ?? createPointsDraft()) : points,
              },
              "start",
            )
          }
        />
      ) : (
        <>
          <p class="hint">{words.versionHint}</p>
          <EarningFields
            earning={earning}
            unit={unit}
            findError={(path) => findError(`earning.${path}`)}
            onChange={(changed, path) => onChange({ ...program, earning: changed }, `earning.${path}`)}
          />
        </>
      )}
      {points !== null && (
        <PointTermsFields
          points={points}
          findError={(path) => findError(`points.${path}`)}
          onChange={(changed, path) => onChange({ ...program, points: changed }, `points.${path}`)}
        />
      )}
      {earning !== null && (
        <div>
          <ConfirmButton
            text={unit.isPoints ? words.stopPoints : words.stopStamps}
            title={unit.isPoints ? words.stopPointsTitle : words.stopStampsTitle}
            confirmText={words.stop}
            call={() => Promise.resolve()}
            onDone={() => onChange({ ...program, earning: null }, "stop")}
          >
            <p>{words.stopHint}</p>
          </ConfirmButton>
        </div>
      )}
      {earning === null && points !== null && (
        <div>
          <ConfirmButton
            text={words.removePoints}
            title={words.removePointsTitle}
            confirmText={words.removePoints}
            call={() => Promise.resolve()}
            onDone={() => onChange({ ...program, points: null }, "remove")}
          >
            <p>{words.removePointsHint}</p>
          </ConfirmButton>
        </div>
      )}
    </section>
  );
}

interface StartEarningProps {
  readonly isPoints: boolean;
  readonly points: PointsDraft | null;
  readonly onStart: (currency: string) => void;
}

/** Says that purchases give nothing, with a button that makes them give something. */
function StartEarning({ isPoints, points, onStart }: StartEarningProps) {
  const currency = useLoad("currency", async (calls) => {
    const settings = hasScopes("settings:read") ? await calls.settings.get() : null;
    return settings?.currency ?? DEFAULT_CURRENCY;
  });
  const givesNoPoints = points === null ? words.noPoints : words.givesNoPoints;
  return (
    <>
      <p>{isPoints ? givesNoPoints : words.givesNoStamps}</p>
      <Loading data={currency} height="2.25rem">
        {(code) => (
          <div>
            <Button
              icon="plus"
              text={isPoints ? words.startPoints(formatUnit(code)) : words.startStamps}
              onClick={() => onStart(code)}
            />
          </div>
        )}
      </Loading>
    </>
  );
}

/** Formats 1 of a currency, such as "€1.00". */
const formatUnit = (currency: string) => moneyText(10 ** findDecimals(currency), currency);

interface PointTermsFieldsProps {
  readonly points: PointsDraft;
  /** Returns the error message at or below a path within the terms, such as `expiry`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (points: PointsDraft, path: string) => void;
}

/** An editor for the points of a card: their name, and from when until when customers can use them. */
function PointTermsFields({ points, findError, onChange }: PointTermsFieldsProps) {
  const { unit, pendingDays, expiry, expiresAfter, graceDays } = points;
  const change = (part: Partial<PointsDraft>, path: string) => onChange({ ...points, ...part }, path);
  return (
    <div class="stack">
      <h3>{termWords.title}</h3>
      <TextField
        label={termWords.unit}
        hint={termWords.unitHint}
        error={findError("unit")}
        maxLength={30}
        value={unit}
        onText={(text) => change({ unit: text }, "unit")}
      />
      <Field label={termWords.expiry}>
        <Select value={expiry} choices={expiries} onChoose={(kind) => change({ expiry: kind }, "expiry")} />
      </Field>
      {expiry !== "never" && (
        <CountField
          label={expiry === "days" ? termWords.days : termWords.months}
          error={findError("expiry")}
          min={1}
          value={expiresAfter}
          onText={(text) => change({ expiresAfter: text }, "expiresAfter")}
        />
      )}
      <Fold
        title={words.more}
        isFilled={pendingDays !== "0" || graceDays !== "0"}
        error={findError("pendingDays") ?? findError("graceDays")}
      >
        <CountField
          label={termWords.pendingDays}
          hint={termWords.pendingDaysHint}
          error={findError("pendingDays")}
          max={365}
          value={pendingDays}
          onText={(text) => change({ pendingDays: text }, "pendingDays")}
        />
        <CountField
          label={termWords.graceDays}
          hint={termWords.graceDaysHint}
          error={findError("graceDays")}
          max={90}
          value={graceDays}
          onText={(text) => change({ graceDays: text }, "graceDays")}
        />
      </Fold>
    </div>
  );
}
