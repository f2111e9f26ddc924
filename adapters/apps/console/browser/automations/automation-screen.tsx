import type { Automation } from "../../../../../src/automations/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { BackLink, Link, navigateNow } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { ConfirmButton, DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { trial } from "../words/en/automation-runs.js";
import { automations as words } from "../words/en/automations.js";
import type { Names } from "../words/en/segment-phrases.js";
import { actionText, conditionText, perText, whenText } from "./automation-sentences.js";
import { type AutomationSetup, listOptionNames, loadSetup } from "./automation-setup.js";
import { AutomationSwitch } from "./automation-switch.js";
import { RunList } from "./run-list.js";
import { RunNumbers } from "./run-numbers.js";
import { TestAutomationDialog } from "./test-automation-dialog.js";

const NAME = "automation-name";

/** The screen for one automation. Shows its description, its runs, and a switch to enable or disable it. */
export function AutomationScreen({ place }: ScreenProps) {
  const { id } = place;
  const setup = useLoad("setup", loadSetup);
  const found = useLoad(id, (calls) => calls.automations.get(id));
  return (
    <>
      <BackLink to="/automations" text={words.back} />
      <Loading of={setup} height="20rem">
        {(facts) => (
          <Loading of={found} height="20rem" missing={<NotFound />}>
            {(automation) => <One automation={automation} setup={facts} onChanged={found.set} />}
          </Loading>
        )}
      </Loading>
    </>
  );
}

interface OneProps {
  readonly automation: Automation;
  readonly setup: AutomationSetup;
  readonly onChanged: (automation: Automation) => void;
}

function One({ automation, setup, onChanged }: OneProps) {
  const { id, name } = automation;
  return (
    <>
      <PageHead
        tab={name}
        title={
          <bdi class="automation-name" id={NAME}>
            {name}
          </bdi>
        }
      >
        <AutomationSwitch automation={automation} labelledBy={NAME} onChanged={onChanged} />
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
          verb={words.deleteVerb(name)}
          call={() => api.automations.delete(id)}
          said={words.wasDeleted(name)}
          onDone={() => navigateNow("/automations")}
        >
          <p>{words.deleteHint}</p>
        </ConfirmButton>
      </PageHead>
      <div class="halves">
        <div class="stack">
          <About automation={automation} names={listOptionNames(setup)} />
          <RunNumbers automationId={id} />
        </div>
        <RunList automationId={id} />
      </div>
    </>
  );
}

interface AboutProps {
  readonly automation: Automation;
  readonly names: Names;
}

/** Describes each part of an automation. */
function About({ automation, names }: AboutProps) {
  const condition = conditionText(automation, names);
  return (
    <section class="panel padded stack" aria-label={words.about}>
      <h2>{words.about}</h2>
      <dl class="facts">
        <Fact name={words.starts}>{whenText(automation, names)}</Fact>
        {condition !== "" && <Fact name={words.condition}>{condition}</Fact>}
        <div>
          <dt>{words.actions}</dt>
          <dd>
            <ol class="does">
              {automation.do.map((action, at) => (
                <li key={at}>
                  <bdi>{actionText(action, names)}</bdi>
                </li>
              ))}
            </ol>
          </dd>
        </div>
        <Fact name={words.per}>{perText(automation.per)}</Fact>
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
