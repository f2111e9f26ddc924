import type { Template } from "../../../../../src/cards/schema.js";
import { api } from "../api/calls.js";
import { hasScopes, mount } from "../api/session.js";
import { Link, navigate } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../components/button.js";
import { CardPicture } from "../components/card-picture.js";
import { ConfirmDialog, useDialog } from "../components/dialog.js";
import { Empty, Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { cards as words } from "../words/en/cards.js";
import { CardNumbers } from "./card-numbers.js";
import { joinPath } from "./join-path.js";
import { TemplateForm } from "./template-form.js";

/** Maximum number of cards whose numbers load without a click. Each card takes three requests. */
const MOST_COUNTED = 8;

export function CardsScreen() {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const { show, dialog } = useDialog((close) => (
    <TemplateForm template={null} onClose={close} onSaved={templates.reload} />
  ));
  const create = hasScopes("template:create") && (
    <Button icon="plus" text={words.fresh} kind="primary" onClick={show} />
  );
  const empty = (
    <Empty isPanel title={words.none} action={create}>
      {words.noneHint}
    </Empty>
  );
  return (
    <>
      <PageHead title={words.title}>{templates.value?.length !== 0 && create}</PageHead>
      <Loading of={templates} height="14rem" count={2} empty={empty}>
        {(all) => (
          <ul class="templates">
            {all.map((template, at) => (
              <TemplateItem
                key={template.id}
                template={template}
                hasNumbers={at < MOST_COUNTED}
                onChanged={templates.reload}
              />
            ))}
          </ul>
        )}
      </Loading>
      {dialog}
    </>
  );
}

interface TemplateItemProps {
  readonly template: Template;
  readonly hasNumbers: boolean;
  readonly onChanged: () => void;
}

function TemplateItem({ template, hasNumbers, onChanged }: TemplateItemProps) {
  const { id, name, maxStamps } = template;
  const change: readonly MenuItem[] = [
    { text: words.design, run: () => navigate(`/cards/${id}/design`) },
    {
      text: words.edit,
      dialog: (close) => <TemplateForm template={template} onClose={close} onSaved={onChanged} />,
    },
  ];
  const remove: MenuItem = {
    text: words.delete,
    dialog: (close) => (
      <ConfirmDialog
        title={words.deleteTitle(name)}
        verb={words.deleteVerb(name)}
        call={() => api.templates.delete(id)}
        said={words.wasDeleted(name)}
        onDone={onChanged}
        onClose={close}
      >
        <p>{words.deleteHint}</p>
      </ConfirmDialog>
    ),
  };
  return (
    <li class="panel padded stack template">
      <h2 class="unseen">
        <bdi>{name}</bdi>
      </h2>
      <CardPicture card={template} maxStamps={maxStamps} stamps={Math.floor((maxStamps ?? 0) / 2)} />
      {maxStamps !== null && hasScopes("segment:read", "pass:read", "user:read") && (
        <CardNumbers templateId={id} isShown={hasNumbers} />
      )}
      <div class="row">
        <Link class="button primary" to={`/cards/${id}/poster`}>
          {words.poster}
        </Link>
        <Menu
          label={words.more(name)}
          items={[
            { text: words.joinPage, run: () => void open(`${mount}${joinPath(id)}`, "_blank", "noopener") },
            ...(hasScopes("template:update") ? change : []),
            ...(hasScopes("template:delete") ? [remove] : []),
          ]}
        />
      </div>
    </li>
  );
}
