import type { Template } from "../../../../src/resources/template.js";
import { get } from "../app/call.js";
import { Link } from "../app/router.js";
import { NotFound, type ScreenProps } from "../app/screen.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { Failed, Skeleton } from "../parts/states.js";
import { DesignForm } from "./design-form.js";

/** What a card looks like in wallets. */
export function DesignScreen({ place }: ScreenProps) {
  const id = place.path.split("/")[2] ?? "";
  const template = useLoad<Template>(id, (signal) => get(`/v1/templates/${encodeURIComponent(id)}`, signal));
  if (template.error?.status === 404) return <NotFound />;
  if (template.error !== null) return <Failed error={template.error} onRetry={template.reload} />;
  if (template.value === null) return <Skeleton height="30rem" />;
  return (
    <>
      <Link class="back" to="/cards">
        <Icon name="back" /> Cards
      </Link>
      <DesignForm template={template.value} onSaved={template.set} />
    </>
  );
}
