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
import { ConfirmDialog, Dialog, DialogButton } from "../components/dialog.js";
import { download } from "../components/download.js";
import { Empty, Loading } from "../components/feedback.js";
import { Check, Field, Select, TextInput, toChoices } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { TagChip } from "../components/tag-chip.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as customerCardWords, customer as words } from "../words/en/customer.js";
import { momentText } from "../words/en/forms.js";
import { parts } from "../words/en/parts.js";
import { tags as tagsWords } from "../words/en/tags.js";
import { CardPanel } from "./card-panel.js";
import { CustomerFacts } from "./customer-facts.js";
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
  const address = user.value?.email ?? null;
  // Reload when the address changes, because a new address is neither confirmed nor suppressed.
  const subscription = useLoad(`${id} ${address}`, (calls) => calls.subscriptions.get(id));
  // The height of the cards decides where the rest goes, so nothing is shown before they are there.
  const areCardsPending = passes.value === null && passes.error === null;
  return (
    <Loading
      data={areCardsPending ? { ...user, value: null } : user}
      height="6rem"
      count={3}
      missing={<NotFound />}
    >
      {(customer) => (
        <>
          <BackLink to="/customers" text={words.back} />
          <PageHead
            title={<bdi>{formatCustomerName(customer)}</bdi>}
            documentTitle={formatCustomerName(customer)}
          >
            <CustomerActions customer={customer} onIssued={onCardsChanged} />
          </PageHead>
          <CustomerFacts
            customer={customer}
            passes={passes.value}
            subscription={subscription.value}
            changeCount={changeCount}
          />
          <div class="one-customer">
            <div class="stack">
              <Loading data={passes} empty={<NoCards customer={customer} onIssued={onCardsChanged} />}>
                {(cards) =>
                  cards.map((pass, index) => (
                    <CardPanel
                      key={pass.id}
                      pass={pass}
                      owner={customer}
                      isPrimary={index === 0}
                      onDeleted={onCardsChanged}
                      onChanged={onCardsChanged}
                    />
                  ))
                }
              </Loading>
            </div>
            <div class="stack">
              {passes.value !== null && (
                <Timeline customer={customer} passes={passes.value} changeCount={changeCount} />
              )}
            </div>
            <div class="stack">
              <Profile customer={customer} onSaved={user.set} />
              {hasScopes("user_tag:read") && <Tags userId={id} onChanged={onChanged} />}
              <SubscriptionPanel customer={customer} subscription={subscription} />
              {renderDetails?.(customer)}
            </div>
          </div>
        </>
      )}
    </Loading>
  );
}

const mayIssue = hasScopes("pass:create", "template:read");

/** Shown in place of a customer's cards if there are none, with a button to issue one. */
function NoCards({ customer, onIssued }: Omit<IssueDialogProps, "onClose">) {
  if (!hasScopes("pass:read")) return null;
  const issueButton = (
    <DialogButton
      icon="plus"
      kind="primary"
      text={customerCardWords.issue}
      dialog={(close) => <IssueDialog customer={customer} onIssued={onIssued} onClose={close} />}
    />
  );
  return <Empty isPanel title={words.noCards} action={mayIssue && issueButton} />;
}

interface ProfileProps {
  readonly customer: User;
  readonly onSaved: (customer: User) => void;
}

/** Shows a customer's known fields and metadata, with a button to edit them. */
function Profile({ customer, onSaved }: ProfileProps) {
  const { email, phone, externalId, metadata, createdAt, id } = customer;
  const rows: (readonly [string, string | null])[] = [
    [words.email, email],
    [words.phone, phone],
    [words.number, externalId],
    ...listNotes(metadata),
    [words.added, momentText(createdAt)],
  ];
  const copyId = async () => {
    await navigator.clipboard.writeText(id);
    showToast(words.idCopied);
  };
  return (
    <section class="panel padded stack" aria-label={words.profile}>
      <div class="row spread">
        <h2>{words.profile}</h2>
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
      </div>
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
      <details class="customer-id">
        <summary class="quiet">{words.showId}</summary>
        <div class="row">
          <code class="grow">{id}</code>
          {/* Browsers allow copying only on https and localhost. */}
          {window.isSecureContext && <Button text={words.copyId} onClick={() => void copyId()} />}
        </div>
      </details>
    </section>
  );
}

interface IssueDialogProps {
  readonly customer: User;
  readonly onIssued: () => void;
  readonly onClose: () => void;
}

/** A dialog that issues a card to a customer and, optionally, emails it to them. */
function IssueDialog({ customer, onIssued, onClose }: IssueDialogProps) {
  const templates = useLoad("templates", (calls) => calls.templates.list());
  const [chosenId, setChosenId] = useState("");
  const [isMailed, setMailed] = useState(false);
  const address = customer.email;
  const canMail = session.hasMail && hasScopes("pass:notify") && address !== null;
  const id = chosenId || templates.value?.[0]?.id;
  const issue = async (event: SubmitEvent) => {
    event.preventDefault();
    if (id === undefined) return;
    const isDone = await runWithToast(async () => {
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
    });
    if (!isDone) return;
    onClose();
    onIssued();
  };
  const none = (
    <p class="note">
      {customerCardWords.noneToGive} <Link to="/cards">{customerCardWords.makeOne}</Link>
    </p>
  );
  return (
    <Dialog title={customerCardWords.issue} onClose={onClose} onSubmit={issue}>
      <Loading data={templates} height="2.25rem" empty={none}>
        {(choices) => (
          <>
            <Field label={customerCardWords.toIssue}>
              <Select value={id ?? ""} choices={toChoices(choices)} onChoose={setChosenId} />
            </Field>
            {canMail && (
              <Check isChecked={isMailed} onChange={setMailed}>
                {customerCardWords.mailTo} <bdi>{address}</bdi>
              </Check>
            )}
          </>
        )}
      </Loading>
      <div class="actions">
        <Button text={parts.cancel} onClick={onClose} />
        <Button text={customerCardWords.issue} kind="primary" type="submit" disabled={id === undefined} />
      </div>
    </Dialog>
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
      <Loading data={userTags} height="1.625rem" empty={<p class="quiet">{tagsWords.ofCustomer.none}</p>}>
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
  readonly onIssued: () => void;
}

/** A menu of the rare or irreversible actions on a customer. */
function CustomerActions({ customer, onIssued }: CustomerActionsProps) {
  const { id } = customer;
  const name = formatCustomerName(customer);
  /** Downloads all of the customer's data. The audit trail records the export. */
  const downloadDossier = () =>
    runWithToast(async () => {
      const dossier = await api.users.dossier(id);
      download(`${id}.json`, JSON.stringify(dossier, null, 2), "application/json");
    });
  const items: readonly MenuItem[] = [
    ...(mayIssue
      ? [
          {
            text: customerCardWords.issue,
            dialog: (close: () => void) => (
              <IssueDialog customer={customer} onIssued={onIssued} onClose={close} />
            ),
          },
        ]
      : []),
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
  return items.length > 0 ? <Menu label={words.more} items={items} /> : null;
}
