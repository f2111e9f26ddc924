import { useId, useState } from "preact/hooks";
import type { Automation } from "../../../../../src/automations/schema.js";
import { loadCode } from "../api/call-error.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Empty, Loading } from "../components/feedback.js";
import { Icon } from "../components/icons.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { runStatuses } from "../words/en/automation-runs.js";
import { automations as words } from "../words/en/automations.js";
import { momentText } from "../words/en/forms.js";
import { ready, readyWords } from "../words/en/ready-automations.js";
import type { Names } from "../words/en/segment-phrases.js";
import { describeAutomation } from "./automation-sentences.js";
import { type AutomationSetup, createOptionNames, loadSetup } from "./automation-setup.js";
import { AutomationSwitch } from "./automation-switch.js";
import type { PresetDialogProps } from "./preset-dialog.js";
import type { PresetKind } from "./preset-texts.js";
import { matchesPreset, presetKinds } from "./presets.js";

/** Lists the automations and offers presets for creating new ones. */
export function AutomationsScreen(_: ScreenProps) {
  const loaded = useLoad("automations", async (calls) => {
    const [automations, setup] = await Promise.all([calls.automations.list(), loadSetup(calls)]);
    return { automations, setup };
  });
  return (
    <>
      <PageHead title={words.title}>
        <Link class="button" to="/automations/new">
          <Icon name="plus" /> {words.fresh}
        </Link>
      </PageHead>
      <Loading data={loaded} height="5rem" count={4}>
        {({ automations, setup }) => (
          <div class="stack">
            {automations.length === 0 ? (
              <Empty isPanel title={words.none}>
                {words.noneHint}
              </Empty>
            ) : (
              <ul class="panel list" aria-label={words.list}>
                {automations.map((automation) => (
                  <AutomationRow
                    key={automation.id}
                    automation={automation}
                    names={createOptionNames(setup)}
                    onChanged={loaded.reload}
                  />
                ))}
              </ul>
            )}
            <PresetList
              automations={automations}
              setup={setup}
              onCreated={(automation) => {
                // Shown before it is loaded, so that the list never contradicts the toast.
                loaded.set({ automations: [...automations, automation], setup });
                loaded.reload();
              }}
            />
          </div>
        )}
      </Loading>
    </>
  );
}

interface AutomationRowProps {
  readonly automation: Automation;
  readonly names: Names;
  readonly onChanged: () => void;
}

/**
 * A row in the list of automations. Shows what the automation does and how often it has run, and has a switch to enable or disable
 * it.
 */
function AutomationRow({ automation, names, onChanged }: AutomationRowProps) {
  const { id, name, updatedAt } = automation;
  const labelId = useId();
  const newestRun = useLoad(`${id} ${updatedAt}`, (calls) => calls.automations.runs(id, { size: 1 }));
  const [lastRun] = newestRun.value?.content ?? [];
  return (
    <li class="automation-line">
      <Link class="sample-name" to={`/automations/${encodeURIComponent(id)}`}>
        <bdi id={labelId}>{name}</bdi>
      </Link>
      <div class="said stack tight">
        <p>
          <bdi>{describeAutomation(automation, names)}</bdi>
        </p>
        {newestRun.value !== null && (
          <p class="quiet">
            {lastRun === undefined
              ? words.noRuns
              : `${words.runsOf(newestRun.value.totalElements)}, ${words.last(momentText(lastRun.updatedAt), runStatuses[lastRun.status])}`}
          </p>
        )}
      </div>
      <AutomationSwitch automation={automation} labelledBy={labelId} onChanged={onChanged} />
    </li>
  );
}

interface PresetListProps {
  readonly automations: readonly Automation[];
  readonly setup: AutomationSetup;
  readonly onCreated: (automation: Automation) => void;
}

/**
 * Lists the automation presets that the user is allowed to create, each with a button that opens its form. Renders nothing if there
 * are none.
 */
function PresetList({ automations, setup, onCreated }: PresetListProps) {
  const [openKind, setOpenKind] = useState<PresetKind | null>(null);
  const offeredKinds = presetKinds.filter(([, scopes]) => hasScopes("message:send", ...scopes));
  if (offeredKinds.length === 0) return null;
  return (
    <section class="stack tight" aria-label={ready.title}>
      <h2>{ready.title}</h2>
      <p class="quiet">{ready.hint}</p>
      <ul class="ready">
        {offeredKinds.map(([kind]) => (
          <li key={kind}>
            <button type="button" class="button kind" onClick={() => setOpenKind(kind)}>
              <span>{readyWords[kind][0]}</span> <span class="hint">{readyWords[kind][1]}</span>
              <ExistingNote name={automations.find((automation) => matchesPreset(kind, automation))?.name} />
            </button>
          </li>
        ))}
      </ul>
      {openKind !== null && (
        <LoadedPresetDialog
          kind={openKind}
          setup={setup}
          onClose={() => setOpenKind(null)}
          onCreated={(automation) => {
            setOpenKind(null);
            onCreated(automation);
            showToast(ready.made(automation.name));
          }}
        />
      )}
    </section>
  );
}

/** Notes that an automation of this kind already exists. */
function ExistingNote({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <span class="hint there">
      <bdi>{ready.there(name)}</bdi>
    </span>
  );
}

/** Loads the dialog's code on demand, because it contains the editor of texts. */
function LoadedPresetDialog(props: PresetDialogProps) {
  const code = useLoad("code", () => loadCode(() => import("./preset-dialog.js")));
  return <Loading data={code}>{({ PresetDialog }) => <PresetDialog {...props} />}</Loading>;
}
