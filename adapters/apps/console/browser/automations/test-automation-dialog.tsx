import { useState } from "preact/hooks";
import type { Automation } from "../../../../../src/automations/schema.js";
import type { AutomationTest } from "../../../../../src/automations/test-schema.js";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { nameOf } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { ExplanationTree, MatchMark } from "../segments/explanation.js";
import { trial } from "../words/en/automation-runs.js";
import { actionText } from "./automation-sentences.js";
import { type AutomationSetup, listOptionNames, listsOf } from "./automation-setup.js";
import { describeTest, isRunnable } from "./run-texts.js";

interface TrialDialogProps {
  readonly automation: Automation;
  readonly setup: AutomationSetup;
  readonly onClose: () => void;
}

/** A dialog that tests an automation for one customer. Shows either what the automation would do or why it wouldn't run. */
export function TestAutomationDialog({ automation, setup, onClose }: TrialDialogProps) {
  const [customer, setCustomer] = useState<Pick<Contact, "id" | "name" | "email"> | null>(null);
  const userId = customer?.id ?? null;
  const found = useLoad(`${userId}`, async (calls) =>
    userId === null ? null : calls.automations.test(automation.id, { userId }),
  );
  const isOfCustomer = found.value?.userId === userId;
  return (
    <Dialog title={trial.title(automation.name)} isWide onClose={onClose}>
      <p class="quiet">{trial.hint}</p>
      <CustomerSearch label={trial.customer} onFound={setCustomer} />
      {customer !== null && (
        <Loading of={isOfCustomer ? found : { ...found, value: null }} height="6rem">
          {(tried) =>
            tried !== null && (
              <Outcome tried={tried} name={nameOf(customer)} automation={automation} setup={setup} />
            )
          }
        </Loading>
      )}
      <div class="actions">
        <Button text={trial.close} onClick={onClose} />
      </div>
    </Dialog>
  );
}

interface OutcomeProps extends Pick<TrialDialogProps, "automation" | "setup"> {
  readonly tried: AutomationTest;
  readonly name: string;
}

function Outcome({ tried, name, automation, setup }: OutcomeProps) {
  const { wouldRun, reason, actions } = tried;
  return (
    <div class="stack">
      <p class={`note ${wouldRun ? "good" : "warn"}`} role="status">
        <span>
          {wouldRun ? trial.would : trial.wouldNot} <bdi>{name}</bdi>
          {trial.because(reason)}
        </span>
      </p>
      {tried.if !== null && (
        <section class="stack tight" aria-label={trial.condition}>
          <h3>{trial.condition}</h3>
          <ExplanationTree node={tried.if} lists={listsOf(setup)} />
        </section>
      )}
      <section class="stack tight" aria-label={trial.actions}>
        <h3>{trial.actions}</h3>
        <ul class="stack tight">
          {actions.map((action, at) => {
            const made = automation.do[at];
            return (
              <li key={at}>
                <MatchMark isSo={isRunnable(action)} isWanted is={trial.is} isNot={trial.isNot}>
                  <div>
                    <bdi>{made === undefined ? "" : actionText(made, listOptionNames(setup))}</bdi>
                    {describeTest(action).map((text) => (
                      <p key={text} class="quiet">
                        {text}
                      </p>
                    ))}
                  </div>
                </MatchMark>
              </li>
            );
          })}
        </ul>
      </section>
    </div>
  );
}
