import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Empty, Loading } from "../components/feedback.js";
import { Icon } from "../components/icons.js";
import { useLoad } from "../components/load.js";
import { automations as words } from "../words/en/automations.js";
import { AutomationRow } from "./automation-row.js";
import { listOptionNames, loadSetup } from "./automation-setup.js";
import { PresetList } from "./preset-list.js";

/** Lists the automations and offers presets for creating new ones. */
export function AutomationsScreen(_: ScreenProps) {
  const found = useLoad("automations", async (calls) => {
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
      <Loading of={found} height="5rem" count={4}>
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
                    names={listOptionNames(setup)}
                    onChanged={found.reload}
                  />
                ))}
              </ul>
            )}
            <PresetList automations={automations} setup={setup} onMade={found.reload} />
          </div>
        )}
      </Loading>
    </>
  );
}
