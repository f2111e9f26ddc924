import type { Template } from "../../../../src/resources/template.js";
import { api } from "../api/calls.js";
import { may, mount } from "../api/session.js";
import { Link } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { CardPicture } from "../parts/card-picture.js";
import { ConfirmButton, DialogButton } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, Loading } from "../parts/states.js";
import { TemplateForm } from "./template-form.js";

/** The cards that customers can have. */
export function CardsScreen() {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const create = may("template:create") && (
    <DialogButton
      icon="plus"
      text="New card"
      kind="primary"
      dialog={(close) => <TemplateForm template={null} onClose={close} onSaved={templates.reload} />}
    />
  );
  const empty = (
    <Empty isPanel title="No cards yet" action={create}>
      Make the first one: what it is called, and how many stamps fill it.
    </Empty>
  );
  return (
    <>
      <PageHead title="Cards">{templates.value?.length !== 0 && create}</PageHead>
      <Loading of={templates} height="14rem" count={2} empty={empty}>
        {(all) => (
          <ul class="templates">
            {all.map((template) => (
              <TemplateItem key={template.id} template={template} onChanged={templates.reload} />
            ))}
          </ul>
        )}
      </Loading>
    </>
  );
}

interface TemplateItemProps {
  readonly template: Template;
  readonly onChanged: () => void;
}

function TemplateItem({ template, onChanged }: TemplateItemProps) {
  const { id, name, maxStamps } = template;
  return (
    <li class="panel padded stack">
      <h2 class="unseen">
        <bdi>{name}</bdi>
      </h2>
      <CardPicture card={template} maxStamps={maxStamps} stamps={Math.floor((maxStamps ?? 0) / 2)} />
      <div class="row">
        <Link class="button primary" to={`/cards/${id}/poster`}>
          Poster
        </Link>
        <a class="button" href={`${mount}/join/${id}`} target="_blank" rel="noreferrer">
          Join page
        </a>
        {may("template:update") && (
          <>
            <Link class="button" to={`/cards/${id}/design`}>
              Design
            </Link>
            <DialogButton
              text="Edit"
              dialog={(close) => <TemplateForm template={template} onClose={close} onSaved={onChanged} />}
            />
          </>
        )}
        {may("template:delete") && (
          <ConfirmButton
            kind="plain"
            text="Delete"
            title={`Delete “${name}”?`}
            verb={`Delete ${name}`}
            call={() => api.templates.delete(id)}
            said={`“${name}” was deleted`}
            onDone={onChanged}
          >
            <p>Only a card that no customer has can be deleted. Its posters lead nowhere then.</p>
          </ConfirmButton>
        )}
      </div>
    </li>
  );
}
