import { useMemo, useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentCondition, SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { api } from "../api/calls.js";
import { hasScopes, mount } from "../api/session.js";
import { Link, navigate } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../components/button.js";
import { CardPicture } from "../components/card-picture.js";
import { ConfirmDialog, useDialog } from "../components/dialog.js";
import { Empty, Loading } from "../components/feedback.js";
import {
  createNumberField,
  createOptionalTextField,
  createTextField,
  FormDialog,
  useForm,
} from "../components/form.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { showToast } from "../components/toasts.js";
import { form as formWords, cards as words } from "../words/en/cards.js";
import { numberText } from "../words/en/forms.js";
import { buildJoinPath, buildProgramPath } from "./card-paths.js";
import { NewCard } from "./new-card.js";
import { createExamplePoints } from "./preview-texts.js";

const fields = {
  name: createTextField(formWords.name, { maxLength: 150 }),
  maxStamps: createNumberField(formWords.maxStamps, 10, { min: 1, max: 100 }),
  reward: createOptionalTextField(formWords.reward, { maxLength: 150 }),
};

const WEEK_DAYS = 7;

/** The numbers shown for a card, each with a condition for the customers that it counts and links to. */
const cardNumbers: readonly {
  /** Describes the customers counted. */
  readonly describe: (count: number) => string;
  readonly buildCondition: (templateId: string) => SegmentCondition;
}[] = [
  { describe: words.haveIt, buildCondition: (templateId) => ({ stamps: { templateId } }) },
  {
    describe: () => words.stamped,
    buildCondition: (templateId) => ({ visits: { templateId, days: WEEK_DAYS, min: 1 } }),
  },
  { describe: () => words.waiting, buildCondition: (templateId) => ({ rewards: { templateId, min: 1 } }) },
];

const buildFilter = (condition: SegmentCondition): SegmentFilter => ({
  operator: "AND",
  conditions: [condition],
});

/** Maximum number of cards whose numbers load without a click. Each card takes three requests. */
const MAX_AUTO_LOADED = 8;

export function CardsScreen() {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const { show, dialog } = useDialog((close) => <NewCard onClose={close} onSaved={templates.reload} />);
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
      <Loading data={templates} height="14rem" count={2} empty={empty}>
        {(list) => (
          <ul class="templates">
            {list.map((template, index) => (
              <TemplateItem
                key={template.id}
                template={template}
                hasNumbers={index < MAX_AUTO_LOADED}
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
  const { id, name, maxStamps, points } = template;
  const examplePoints = useMemo(() => createExamplePoints(points), [points]);
  const editItems: readonly MenuItem[] = [
    { text: words.design, run: () => navigate(`/cards/${id}/design`) },
    {
      text: template.type === "STAMP_CARD" ? words.stamps : words.points,
      run: () => navigate(buildProgramPath(id)),
    },
    {
      text: words.edit,
      dialog: (close) => <TemplateForm template={template} onClose={close} onSaved={onChanged} />,
    },
  ];
  const deleteItem: MenuItem = {
    text: words.delete,
    dialog: (close) => (
      <ConfirmDialog
        title={words.deleteTitle(name)}
        confirmText={words.deleteVerb(name)}
        call={() => api.templates.delete(id)}
        successMessage={words.wasDeleted(name)}
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
      <CardPicture
        card={template}
        maxStamps={maxStamps}
        stamps={Math.floor((maxStamps ?? 0) / 2)}
        points={examplePoints}
      />
      {(maxStamps !== null || examplePoints !== null) && <p class="quiet">{words.example}</p>}
      {maxStamps !== null && hasScopes("segment:read", "pass:read", "user:read") && (
        <CardNumbers templateId={id} isLoaded={hasNumbers} />
      )}
      <div class="row">
        <Link class="button primary" to={`/cards/${id}/poster`}>
          {words.poster}
        </Link>
        <Menu
          label={words.more(name)}
          items={[
            {
              text: words.joinPage,
              run: () => void open(`${mount}${buildJoinPath(id)}`, "_blank", "noopener"),
            },
            ...(hasScopes("template:update") ? editItems : []),
            ...(hasScopes("template:delete") ? [deleteItem] : []),
          ]}
        />
      </div>
    </li>
  );
}

interface CardNumbersProps {
  readonly templateId: string;
  /**
   * Whether the numbers load immediately. If false, they load only after a click, so that a page with many cards doesn't send too
   * many requests.
   */
  readonly isLoaded: boolean;
}

/** Shows how many customers have a stamp card, how many of them visited recently, and how many have a reward waiting. */
function CardNumbers({ templateId, isLoaded }: CardNumbersProps) {
  const [isRequested, setRequested] = useState(isLoaded);
  return isRequested ? (
    <Numbers templateId={templateId} />
  ) : (
    <div>
      <Button kind="plain" text={words.showNumbers} onClick={() => setRequested(true)} />
    </div>
  );
}

function Numbers({ templateId }: { readonly templateId: string }) {
  const totals = useLoad(`numbers ${templateId}`, (calls) => readTotals(calls, templateId));
  return (
    <ul class="card-numbers" aria-busy={totals.isLoading && totals.value === null}>
      {cardNumbers.map(({ describe, buildCondition }, index) => {
        const total = totals.value?.[index];
        const filter = encodeURIComponent(JSON.stringify(buildFilter(buildCondition(templateId))));
        return (
          <li key={index}>
            <Link to={`/customers?filter=${filter}`}>
              <strong class="number">{total === undefined ? "–" : numberText(total)}</strong>{" "}
              <span>{describe(total ?? 0)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

async function readTotals(calls: OrganizationCalls, templateId: string): Promise<readonly number[]> {
  const pages = cardNumbers.map(({ buildCondition }) =>
    calls.segments.query({ filter: buildFilter(buildCondition(templateId)), size: 0 }),
  );
  return (await Promise.all(pages)).map(({ totalElements }) => totalElements);
}

interface TemplateFormProps {
  readonly template: Template;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** A form for editing a card template, with a preview of the card as customers will see it. */
function TemplateForm({ template, onClose, onSaved }: TemplateFormProps) {
  const hasStamps = template.type === "STAMP_CARD";
  const form = useForm(fields, {
    saved: template,
    send: async ({ maxStamps, ...values }) => {
      const { name } = await api.templates.update(template.id, {
        ...values,
        ...(hasStamps && { maxStamps }),
      });
      onClose();
      onSaved();
      showToast(formWords.wasSaved(name));
    },
  });
  const shownStamps = hasStamps
    ? Math.min(Math.max(Math.floor(Number(form.values.maxStamps)) || 1, 1), 100)
    : null;
  const hidden = hasStamps ? [] : ["maxStamps", "reward"];
  const card = {
    name: form.values.name || formWords.unnamed,
    reward: (hasStamps && form.values.reward) || null,
    design: template.design,
  };
  return (
    <FormDialog
      title={formWords.editTitle}
      submitText={formWords.save}
      form={form}
      hidden={hidden}
      isWide
      onClose={onClose}
    >
      <div class="halves">
        <div class="stack">{form.controls(hidden, { maxStamps: { hint: formWords.maxStampsKept } })}</div>
        <section class="stack tight" aria-label={formWords.preview}>
          <CardPicture card={card} maxStamps={shownStamps} stamps={0} />
          {shownStamps !== null && (
            <>
              <CardPicture
                card={card}
                maxStamps={shownStamps}
                stamps={Math.ceil(shownStamps / 2) % shownStamps}
              />
              <CardPicture card={card} maxStamps={shownStamps} stamps={0} rewards={1} />
            </>
          )}
        </section>
      </div>
    </FormDialog>
  );
}
