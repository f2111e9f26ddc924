import { useState } from "preact/hooks";
import type { AutomationRun, AutomationTest } from "../../../../../src/automations/run-schema.js";
import type { Automation } from "../../../../../src/automations/schema.js";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { BackLink, Link, navigateNow } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { ConfirmButton, Dialog, DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { CustomerHistory } from "../customers/customer-history.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { ExplanationTree, MatchMark } from "../segments/explanation.js";
import { runFilters, runStatuses, runs as runsWords, trial } from "../words/en/automation-runs.js";
import { automations as words } from "../words/en/automations.js";
import { numberText } from "../words/en/forms.js";
import type { Names } from "../words/en/segment-phrases.js";
import {
  describeAction,
  describeCondition,
  describeFrequency,
  describeTrigger,
} from "./automation-sentences.js";
import { type AutomationSetup, createOptionNames, loadSetup, toFilterOptions } from "./automation-setup.js";
import { AutomationSwitch } from "./automation-switch.js";
import { describeTest, isRunnable, RunRow } from "./run-row.js";

const PAGE_SIZE = 20;

const RELOAD_MS = 10_000;

const NAME_ID = "automation-name";

/** The screen for one automation. Shows its description, its runs, and a switch to enable or disable it. */
export function AutomationScreen({ screenLocation }: ScreenProps) {
  const { id } = screenLocation;
  const setup = useLoad("setup", loadSetup);
  const loadedAutomation = useLoad(id, (calls) => calls.automations.get(id));
  return (
    <>
      <BackLink to="/automations" text={words.back} />
      <Loading data={setup} height="20rem">
        {(loadedSetup) => (
          <Loading data={loadedAutomation} height="20rem" missing={<NotFound />}>
            {(automation) => (
              <AutomationDetails
                automation={automation}
                setup={loadedSetup}
                onChanged={loadedAutomation.set}
              />
            )}
          </Loading>
        )}
      </Loading>
    </>
  );
}

interface AutomationDetailsProps {
  readonly automation: Automation;
  readonly setup: AutomationSetup;
  readonly onChanged: (automation: Automation) => void;
}

function AutomationDetails({ automation, setup, onChanged }: AutomationDetailsProps) {
  const { id, name } = automation;
  return (
    <>
      <PageHead
        documentTitle={name}
        title={
          <bdi class="automation-name" id={NAME_ID}>
            {name}
          </bdi>
        }
      >
        <AutomationSwitch automation={automation} labelledBy={NAME_ID} onChanged={onChanged} />
        <Link class="button" to={`/automations/${encodeURIComponent(id)}/edit`}>
          {words.edit}
        </Link>
        {hasScopes("user:read") && (
          <DialogButton
            text={trial.open}
            dialog={(close) => <TestAutomationDialog automation={automation} setup={setup} onClose={close} />}
          />
        )}
        <ConfirmButton
          text={words.delete}
          kind="danger"
          title={words.deleteTitle(name)}
          confirmText={words.deleteVerb(name)}
          call={() => api.automations.delete(id)}
          successMessage={words.wasDeleted(name)}
          onDone={() => navigateNow("/automations")}
        >
          <p>{words.deleteHint}</p>
        </ConfirmButton>
      </PageHead>
      <div class="halves">
        <div class="stack">
          <AutomationFacts automation={automation} names={createOptionNames(setup)} />
          <RunNumbers automationId={id} />
        </div>
        <RunList automationId={id} />
      </div>
    </>
  );
}

interface AutomationFactsProps {
  readonly automation: Automation;
  readonly names: Names;
}

/** Describes each part of an automation. */
function AutomationFacts({ automation, names }: AutomationFactsProps) {
  const condition = describeCondition(automation, names);
  return (
    <section class="panel padded stack" aria-label={words.about}>
      <h2>{words.about}</h2>
      <dl class="facts">
        <Fact name={words.starts}>{describeTrigger(automation, names)}</Fact>
        {condition !== "" && <Fact name={words.condition}>{condition}</Fact>}
        <div>
          <dt>{words.actions}</dt>
          <dd>
            <ol class="does">
              {automation.do.map((action, index) => (
                <li key={index}>
                  <bdi>{describeAction(action, names)}</bdi>
                </li>
              ))}
            </ol>
          </dd>
        </div>
        <Fact name={words.per}>{describeFrequency(automation.per)}</Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}

/** Lists an automation's runs, newest first. Each row shows the customer, the run's status, and the reason for that status. */
function RunList({ automationId }: { readonly automationId: string }) {
  return (
    <CustomerHistory<AutomationRun>
      historyKey={automationId}
      words={runsWords}
      hint={runsWords.hint}
      statuses={runFilters}
      size={PAGE_SIZE}
      reloadMs={RELOAD_MS}
      readPage={(calls, query) => calls.automations.runs(automationId, query)}
      emptyText={(isFiltered) => (isFiltered ? runsWords.noneSuch : runsWords.none)}
    >
      {(run, customer) => (
        <RunRow key={run.id} run={run}>
          {customer}
        </RunRow>
      )}
    </CustomerHistory>
  );
}

interface TestDialogProps {
  readonly automation: Automation;
  readonly setup: AutomationSetup;
  readonly onClose: () => void;
}

/** A dialog that tests an automation for one customer. Shows either what the automation would do or why it wouldn't run. */
function TestAutomationDialog({ automation, setup, onClose }: TestDialogProps) {
  const [customer, setCustomer] = useState<Pick<Contact, "id" | "name" | "email"> | null>(null);
  const userId = customer?.id ?? null;
  const loadedTest = useLoad(`${userId}`, async (calls) =>
    userId === null ? null : calls.automations.test(automation.id, { userId }),
  );
  const isOfCustomer = loadedTest.value?.userId === userId;
  return (
    <Dialog title={trial.title(automation.name)} isWide onClose={onClose}>
      <p class="quiet">{trial.hint}</p>
      <CustomerSearch label={trial.customer} onFound={setCustomer} />
      {customer !== null && (
        <Loading data={isOfCustomer ? loadedTest : { ...loadedTest, value: null }} height="6rem">
          {(testResult) =>
            testResult !== null && (
              <Outcome
                testResult={testResult}
                name={formatCustomerName(customer)}
                automation={automation}
                setup={setup}
              />
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

interface OutcomeProps extends Pick<TestDialogProps, "automation" | "setup"> {
  readonly testResult: AutomationTest;
  readonly name: string;
}

function Outcome({ testResult, name, automation, setup }: OutcomeProps) {
  const { wouldRun, reason, actions } = testResult;
  return (
    <div class="stack">
      <p class={`note ${wouldRun ? "good" : "warn"}`} role="status">
        <span>
          {wouldRun ? trial.would : trial.wouldNot} <bdi>{name}</bdi>
          {trial.because(reason)}
        </span>
      </p>
      {testResult.if !== null && (
        <section class="stack tight" aria-label={trial.condition}>
          <h3>{trial.condition}</h3>
          <ExplanationTree node={testResult.if} lists={toFilterOptions(setup)} />
        </section>
      )}
      <section class="stack tight" aria-label={trial.actions}>
        <h3>{trial.actions}</h3>
        <ul class="stack tight">
          {actions.map((action, index) => {
            const automationAction = automation.do[index];
            return (
              <li key={index}>
                <MatchMark isSo={isRunnable(action)} isWanted is={trial.is} isNot={trial.isNot}>
                  <div>
                    <bdi>
                      {automationAction === undefined
                        ? ""
                        : describeAction(automationAction, createOptionNames(setup))}
                    </bdi>
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

const countedStatuses = ["DONE", "WAITING", "SKIPPED", "FAILED"] as const;

/** Shows how many of an automation's runs have each status. Only runs that are still stored are counted. */
function RunNumbers({ automationId }: { readonly automationId: string }) {
  const numbers = useLoad(automationId, (calls) =>
    Promise.all(
      countedStatuses.map(async (status) => {
        const { totalElements } = await calls.automations.runs(automationId, { status, size: 1 });
        return [status, totalElements] as const;
      }),
    ),
  );
  useInterval(RELOAD_MS, () => {
    if (!numbers.isLoading) numbers.reload();
  });
  return (
    <section class="panel padded stack" aria-label={words.numbers}>
      <h2>{words.numbers}</h2>
      <Loading data={numbers} height="4rem">
        {(counts) => (
          <dl class="big-numbers">
            {counts.map(([status, count]) => (
              <div key={status} class="big-number">
                <dt>{runStatuses[status]}</dt>
                <dd class="number">{numberText(count)}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loading>
    </section>
  );
}
