import { useState } from "preact/hooks";
import type { Template } from "../../../../src/resources/template.js";
import { get, remove } from "../app/call.js";
import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { may, mount } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { StampCard } from "../parts/stamp-card.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { TemplateForm } from "./template-form.js";

/** The cards that customers can have. */
export function CardsScreen(_: ScreenProps) {
  const templates = useLoad<Template[]>("templates", (signal) => get("/v1/templates", signal));
  const [edited, setEdited] = useState<Template | "new" | null>(null);
  const [doomed, setDoomed] = useState<Template | null>(null);
  const deleteCard = async ({ id, name }: Template) => {
    setDoomed(null);
    try {
      await remove(`/v1/templates/${id}`);
      templates.reload();
      tell(`“${name}” was deleted`);
    } catch (error) {
      tellFailure(error);
    }
  };
  const create = may("template:create") && (
    <Button kind="primary" onClick={() => setEdited("new")}>
      <Icon name="plus" /> New card
    </Button>
  );
  return (
    <>
      <PageHead title="Cards">{templates.value?.length !== 0 && create}</PageHead>
      {templates.error !== null && <Failed error={templates.error} onRetry={templates.reload} />}
      {templates.value === null && templates.error === null && <Skeleton height="14rem" count={2} />}
      {templates.value?.length === 0 && (
        <div class="panel">
          <Empty title="No cards yet" action={create}>
            Make the first one: what it is called, and how many stamps fill it.
          </Empty>
        </div>
      )}
      <ul class="templates">
        {templates.value?.map((template) => (
          <li key={template.id} class="panel padded stack">
            <h2 class="unseen">
              <bdi>{template.name}</bdi>
            </h2>
            <StampCard
              name={template.name}
              maxStamps={template.maxStamps}
              stamps={Math.floor((template.maxStamps ?? 0) / 2)}
            />
            <div class="row">
              <Link class="button primary" to={`/cards/${template.id}/poster`}>
                Poster
              </Link>
              <a class="button" href={`${mount}/join/${template.id}`} target="_blank" rel="noreferrer">
                Join page
              </a>
              {may("template:update") && (
                <Link class="button" to={`/cards/${template.id}/design`}>
                  Design
                </Link>
              )}
              {may("template:update") && <Button onClick={() => setEdited(template)}>Edit</Button>}
              {may("template:delete") && (
                <Button kind="plain" onClick={() => setDoomed(template)}>
                  Delete
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {edited !== null && (
        <TemplateForm
          template={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
          onSaved={(saved) => {
            setEdited(null);
            templates.reload();
            tell(`“${saved.name}” was saved`);
          }}
        />
      )}
      {doomed !== null && (
        <Confirm
          title={`Delete “${doomed.name}”?`}
          verb={`Delete ${doomed.name}`}
          onConfirm={() => void deleteCard(doomed)}
          onClose={() => setDoomed(null)}
        >
          <p>Only a card that no customer has can be deleted. Its posters lead nowhere then.</p>
        </Confirm>
      )}
    </>
  );
}
