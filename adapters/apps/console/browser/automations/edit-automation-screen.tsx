import { BackLink } from "../app/router.js";
import { NotFound, type ScreenProps } from "../app/screen.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { automations as words } from "../words/en/automations.js";
import { AutomationEditor } from "./automation-editor.js";
import { loadSetup } from "./automation-setup.js";

/** The screen for editing an automation or creating one without a preset. */
export function EditAutomationScreen({ screenLocation }: ScreenProps) {
  const { id } = screenLocation;
  const isNew = id === "new";
  const loaded = useLoad(id, async (calls) => {
    const [setup, saved] = await Promise.all([loadSetup(calls), isNew ? null : calls.automations.get(id)]);
    return { setup, saved };
  });
  const saved = loaded.value?.saved ?? null;
  return (
    <>
      <BackLink
        to={isNew ? "/automations" : `/automations/${encodeURIComponent(id)}`}
        text={saved?.name ?? words.back}
      />
      <Loading data={loaded} height="30rem" missing={<NotFound />}>
        {({ setup, saved }) => <AutomationEditor saved={saved} setup={setup} />}
      </Loading>
    </>
  );
}
