import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { fold } from "../../../../../src/base/values/text.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { CallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { hasScopes, session } from "../api/session.js";
import { BackLink, Link, navigate } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { buildCodeMenuItems } from "../components/code-dialog.js";
import { ConfirmDialog, DialogButton } from "../components/dialog.js";
import { download } from "../components/download.js";
import { Empty, Loading } from "../components/feedback.js";
import { Check, Select, TextInput, toChoices } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { TagChip } from "../components/tag-chip.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as customerCardWords, customer as words } from "../words/en/customer.js";
import { momentText } from "../words/en/forms.js";
import { tags as tagsWords } from "../words/en/tags.js";
import { CardPanel } from "./card-panel.js";
import { CustomerForm } from "./customer-form.js";
import { formatCustomerName } from "./customer-name.js";
import { listNotes } from "./customer-notes.js";
import { SubscriptionPanel } from "./subscription-panel.js";
import { Timeline } from "./timeline.js";

interface CustomerScreenProps extends ScreenProps {
  /** Renders additional content about the customer below the tags. */
  readonly renderDetails?: (customer: User) => ComponentChildren;
}

/** Shows a customer's profile, tags, stamp cards, consents, and history. */
export function CustomerScreen({ screenLocation, renderDetails }: CustomerScreenProps) {
  const { id } = screenLocation;
  const user = useLoad(id, (calls) => calls.users.get(id));
  const passes = useLoad(id, async (calls) => (hasScopes("pass:read") ? calls.passes.ofUser(id) : []));
  const [changeCount, setChangeCount] = useState(0);
  const onChanged = () => setChangeCount((previous) => previous + 1);
  const onCardsChanged = () => {
    passes.reload();
    onChanged();
  };
  const noCards = hasScopes("pass:read") && <Empty isPanel title={words.noCards} />;
  return (
    <Loading data={user} height="6rem" count={3} missing={<NotFound />}>
      {(customer) => (
        <>
          <BackLink to="/customers" text={words.back} />
          <PageHead
            title={<bdi>{formatCustomerName(customer)}</bdi>}
            documentTitle={formatCustomerName(customer)}
          >
            <CustomerActions customer={customer} onSaved={user.set} />
          </PageHead>
          <div class="halves one-customer">
            <div class="stack">
              <Profile customer={customer} />
              {hasScopes("user_tag:read") && <Tags userId={id} onChanged={onChanged} />}
              {renderDetails?.(customer)}
            </div>
            <div class="stack">
              {hasScopes("pass:create", "template:read") && (
                <IssueCard customer={customer} onIssued={onCardsChanged} />
              )}
              <Loading data={passes} height="14rem" empty={noCards}>
                {(cards) =>
                  cards.map((pass) => (
                    <CardPanel
                      key={pass.id}
                      pass={pass}
                      owner={customer}
                      onDeleted={onCardsChanged}
                      onChanged={onChanged}
                    />
                  ))
                }
              </Loading>
            </div>
            <div class="stack">
              <SubscriptionPanel customer={customer} />
              {passes.value !== null && (
                <Timeline customer={customer} passes={passes.value} changeCount={changeCount} />
              )}
            </div>
          </div>
        </>
      )}
    </Loading>
  );
}

/** Shows a customer's known fields and metadata. */
function Profile({ customer }: { readonly customer: User }) {
  const { email, phone, externalId, metadata, createdAt, id } = customer;
  const rows: (readonly [string, string | null])[] = [
    [words.email, email],
    [words.phone, phone],
    [words.number, externalId],
    ...listNotes(metadata),
    [words.added, momentText(createdAt)],
    [words.id, id],
  ];
  return (
    <section class="panel padded stack" aria-label={words.profile}>
      <h2>{words.profile}</h2>
      <dl class="facts">
        {rows
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

interface IssueCardProps {
  readonly customer: User;
  readonly onIssued: () => void;
}

/** Lets the user issue a card to a customer and, optionally, email it to them. */
function IssueCard({ customer, onIssued }: IssueCardProps) {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const [chosenId, setChosenId] = useState("");
  const [isMailed, setMailed] = useState(false);
  const address = customer.email;
  const canMail = session.hasMail && hasScopes("pass:notify") && address !== null;
  if (templates.value === null) return <Loading data={templates} height="2.25rem" />;
  const id = chosenId || templates.value[0]?.id;
  if (id === undefined) {
    return (
      <p class="note">
        {customerCardWords.noneToGive} <Link to="/cards">{customerCardWords.makeOne}</Link>
      </p>
    );
  }
  const issue = () =>
    runWithToast(async () => {
      const notify = canMail && isMailed;
      const { notification } = await api.passes.create(id, {
        userId: customer.id,
        ...(notify && { notify }),
      });
      if (notification === undefined) showToast(customerCardWords.issued);
      else if ("delivery" in notification) showToast(customerCardWords.issuedAndMailed(address ?? ""));
      else {
        const refusal = new CallError(409, { code: notification.refused, params: null });
        showToast(customerCardWords.notMailed(refusal.message));
      }
      onIssued();
    });
  return (
    <div class="stack tight">
      <div class="row">
        <Select
          class="grow"
          aria-label={customerCardWords.toIssue}
          value={id}
          choices={toChoices(templates.value)}
          onChoose={setChosenId}
        />
        <Button text={customerCardWords.issue} onClick={() => void issue()} />
      </div>
      {canMail && (
        <Check isChecked={isMailed} onChange={setMailed}>
          {customerCardWords.mailTo} <bdi>{address}</bdi>
        </Check>
      )}
    </div>
  );
}

interface TagsProps {
  readonly userId: string;
  /** Called after a tag has been assigned to the customer or removed from them. */
  readonly onChanged: () => void;
}

/** Shows and edits a customer's tags. If the user enters the name of a tag that doesn't exist, the tag is created. */
function Tags({ userId, onChanged }: TagsProps) {
  const userTags = useLoad(userId, (calls) => calls.tags.ofUser(userId));
  const allTags = useLoad("tags", (calls) => calls.tags.list());
  const [input, setInput] = useState("");
  const tags = userTags.value ?? [];

  const assign = async (slug: string) => {
    await api.tags.assign(userId, slug);
    userTags.reload();
    onChanged();
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = input.trim();
    if (name === "") return;
    await runWithToast(async () => {
      const existingTag = allTags.value?.find((tag) => fold(tag.name) === fold(name));
      const tag = existingTag ?? (await api.tags.create({ name }));
      await assign(tag.slug);
      setInput("");
      allTags.reload();
    });
  };
  const remove = ({ slug, name }: UserTag) =>
    runWithToast(async () => {
      await api.tags.unassign(userId, slug);
      userTags.reload();
      onChanged();
      showToast(tagsWords.ofCustomer.tookOff(name), () => void runWithToast(() => assign(slug)));
    });

  return (
    <section class="panel padded stack" aria-label={tagsWords.title}>
      <h2>{tagsWords.title}</h2>
      <Loading data={userTags} height="1.25rem" empty={<p class="quiet">{tagsWords.ofCustomer.none}</p>}>
        {() => (
          <ul class="row">
            {tags.map((tag) => (
              <TagChip
                key={tag.slug}
                tag={tag}
                label={tagsWords.ofCustomer.takeOff(tag.name)}
                onRemove={hasScopes("user_tag:write") ? () => void remove(tag) : undefined}
              />
            ))}
          </ul>
        )}
      </Loading>
      {hasScopes("user_tag:write") && (
        <form class="row" onSubmit={add}>
          <TextInput
            class="grow"
            aria-label={tagsWords.ofCustomer.toAdd}
            placeholder={tagsWords.ofCustomer.toAdd}
            list="all-tags"
            maxLength={100}
            value={input}
            onText={setInput}
          />
          <datalist id="all-tags">
            {(allTags.value ?? [])
              .filter(({ slug }) => !tags.some((tag) => tag.slug === slug))
              .map(({ slug, name }) => (
                <option key={slug} value={name} />
              ))}
          </datalist>
          <Button text={tagsWords.ofCustomer.add} type="submit" />
        </form>
      )}
    </section>
  );
}

interface CustomerActionsProps {
  readonly customer: User;
  readonly onSaved: (customer: User) => void;
}

/** The buttons and menu for actions on a customer. Editing is a button, while rare or irreversible actions are in the menu. */
function CustomerActions({ customer, onSaved }: CustomerActionsProps) {
  const { id } = customer;
  const name = formatCustomerName(customer);
  /** Downloads all of the customer's data. The audit trail records the export. */
  const downloadDossier = () =>
    runWithToast(async () => {
      const dossier = await api.users.dossier(id);
      download(`${id}.json`, JSON.stringify(dossier, null, 2), "application/json");
    });
  const items: readonly MenuItem[] = [
    ...buildCodeMenuItems({ group: "users", name: "get", args: [id] }),
    ...(hasScopes("user:read", "user_tag:read", "pass:read", "webhook:manage")
      ? [
          {
            text: words.saveCopy,
            hint: words.saveCopyHint,
            run: () => void downloadDossier(),
          },
        ]
      : []),
    ...(hasScopes("user:update")
      ? [
          {
            text: words.delete,
            hint: words.deleteHint,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.deleteTitle(name)}
                confirmText={words.deleteVerb(name)}
                call={() => api.users.delete(id)}
                successMessage={words.deleted(name)}
                onDone={() => navigate("/customers")}
                onClose={close}
              >
                <p>{words.deleteText} </p>
              </ConfirmDialog>
            ),
          },
          {
            text: words.forget,
            hint: words.forgetHint,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.forgetTitle(name)}
                confirmText={words.forgetVerb(name)}
                call={() => api.users.erase(id)}
                successMessage={words.forgotten(name)}
                onDone={() => navigate("/customers")}
                onClose={close}
              >
                <p>{words.forgetText} </p>
              </ConfirmDialog>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      {hasScopes("user:update") && (
        <DialogButton
          text={words.edit}
          dialog={(close) => (
            <CustomerForm
              customer={customer}
              onClose={close}
              onSaved={(saved) => {
                onSaved(saved);
                close();
                showToast(words.saved);
              }}
            />
          )}
        />
      )}
      {items.length > 0 && <Menu label={words.more} items={items} />}
    </>
  );
}
