import { Button } from "../../components/button.js";
import { Check, CountField, Field, Select } from "../../components/field.js";
import {
  bonuses as bonusWords,
  combinations,
  lineKinds,
  program,
  returnPolicies,
  rules as ruleWords,
  counts as words,
} from "../../words/en/card-program.js";
import { BonusFields } from "./bonus-fields.js";
import type { CardUnit } from "./card-unit.js";
import { Fold } from "./fold.js";
import { changeCurrency, createBonusDraft, createRuleDraft, type EarningDraft } from "./program-draft.js";
import { ProgramExample } from "./program-example.js";
import { RuleFields } from "./rule-fields.js";

const MAX_RULES = 20;
const MAX_BONUSES = 20;

interface EarningFieldsProps {
  readonly earning: EarningDraft;
  readonly unit: CardUnit;
  /** Returns the error message at or below a path within `earning`, such as `rules.0.give`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (earning: EarningDraft, path: string) => void;
}

/** An editor for what purchases give: rules, bonuses, and what counts, with an example. */
export function EarningFields({ earning, unit, findError, onChange }: EarningFieldsProps) {
  const { currency, rules, combine, bonuses, counts } = earning;
  const change = (part: Partial<EarningDraft>, path: string) => onChange({ ...earning, ...part }, path);
  return (
    <div class="stack">
      {rules.map((rule, index) => (
        <RuleFields
          key={rule.id}
          {...{ rule, index, unit, currency }}
          findError={(path) => findError(`rules.${index}.${path}`)}
          onChange={(changedRule, path) =>
            change({ rules: rules.with(index, changedRule) }, `rules.${index}.${path}`)
          }
          {...(index === 0 && {
            onCurrency: (code) => onChange(changeCurrency(earning, code), `currency ${code}`),
          })}
          {...(rules.length > 1 && {
            onRemove: () => change({ rules: rules.toSpliced(index, 1) }, "rules"),
          })}
        />
      ))}
      {rules.length < MAX_RULES && (
        <div>
          <Button
            icon="plus"
            text={ruleWords.add}
            onClick={() => change({ rules: [...rules, createRuleDraft(currency)] }, "rules")}
          />
        </div>
      )}
      {rules.length > 1 && (
        <Field label={ruleWords.combine}>
          <Select
            value={combine}
            choices={combinations}
            onChoose={(chosen) => change({ combine: chosen }, "combine")}
          />
        </Field>
      )}
      <h3>{bonusWords.title}</h3>
      {bonuses.length === 0 && <p class="hint">{bonusWords.none}</p>}
      {bonuses.map((bonus, index) => (
        <BonusFields
          key={bonus.id}
          {...{ bonus, index }}
          findError={(path) => findError(`bonuses.${index}.${path}`)}
          onChange={(changedBonus, path) =>
            change({ bonuses: bonuses.with(index, changedBonus) }, `bonuses.${index}.${path}`)
          }
          onRemove={() => change({ bonuses: bonuses.toSpliced(index, 1) }, "bonuses")}
        />
      ))}
      {bonuses.length > 1 && <p class="hint">{bonusWords.largest}</p>}
      {bonuses.length < MAX_BONUSES && (
        <div>
          <Button
            icon="plus"
            text={bonusWords.add}
            onClick={() => change({ bonuses: [...bonuses, createBonusDraft()] }, "bonuses")}
          />
        </div>
      )}
      <fieldset class="plain">
        <legend class="label">{words.title}</legend>
        <div class="row kinds-of-lines">
          {lineKinds.map(([kind, text]) => (
            <Check
              key={kind}
              isChecked={counts.kinds.includes(kind)}
              onChange={(isChecked) => {
                const others = counts.kinds.filter((each) => each !== kind);
                const kinds = isChecked ? [...others, kind] : others;
                change({ counts: { ...counts, kinds } }, `kinds ${kinds.join()}`);
              }}
            >
              {text}
            </Check>
          ))}
        </div>
      </fieldset>
      <ProgramExample earning={earning} unit={unit} />
      <RareEarningFields {...{ earning, unit, findError, onChange }} />
    </div>
  );
}

/** Fields that most shops leave as they are. */
function RareEarningFields({ earning, unit, findError, onChange }: EarningFieldsProps) {
  const { counts, limits, onReturn } = earning;
  const change = (part: Partial<EarningDraft>, path: string) => onChange({ ...earning, ...part }, path);
  const isUsual =
    counts.tax &&
    !counts.paidWithPoints &&
    limits.perPurchase === "" &&
    limits.perDay === "" &&
    onReturn === "debt";
  return (
    <Fold title={program.more} isFilled={!isUsual} error={findError("limits")}>
      <Check
        isChecked={counts.tax}
        hint={words.taxHint}
        onChange={(tax) => change({ counts: { ...counts, tax } }, `tax ${tax}`)}
      >
        {words.tax}
      </Check>
      <Check
        isChecked={counts.paidWithPoints}
        onChange={(paidWithPoints) =>
          change({ counts: { ...counts, paidWithPoints } }, `paidWithPoints ${paidWithPoints}`)
        }
      >
        {words.paidWithPoints}
      </Check>
      <div class="columns">
        <CountField
          label={words.perPurchase}
          hint={words.noLimit}
          error={findError("limits.perPurchase")}
          value={limits.perPurchase}
          onText={(perPurchase) => change({ limits: { ...limits, perPurchase } }, "perPurchase")}
        />
        <CountField
          label={words.perDay}
          hint={words.noLimit}
          error={findError("limits.perDay")}
          value={limits.perDay}
          onText={(perDay) => change({ limits: { ...limits, perDay } }, "perDay")}
        />
      </div>
      {unit.isPoints && (
        <Field label={words.onReturn}>
          <Select
            value={onReturn}
            choices={returnPolicies}
            onChoose={(policy) => change({ onReturn: policy }, "onReturn")}
          />
        </Field>
      )}
    </Fold>
  );
}
