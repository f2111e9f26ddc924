import { useState } from "preact/hooks";
import type { Message, MessagePreview } from "../../../../../src/messages/schema.js";
import { CallError, loadCode } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { session } from "../api/session.js";
import { Link, navigateNow, replaceLocation } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import { ConfirmButton } from "../components/dialog.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { pickDefaultLanguage } from "../components/first-language.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { MissingSetup } from "../components/missing-setup.js";
import { showToast } from "../components/toasts.js";
import { isBetween } from "../components/zoned-time.js";
import { createGroup, parseGroupText } from "../segments/filter-tree.js";
import { language as own } from "../words/en/forms.js";
import { when as whenWords, composer as words } from "../words/en/message-editor.js";
import { parts } from "../words/en/parts.js";
import { AudienceFields } from "./audience-fields.js";
import { createEmptyText, listChannels } from "./content-draft.js";
import { LiveNumbers } from "./live-numbers.js";
import { emptyMessage, fromMessageDraft, type MessageDraft, toMessageDraft } from "./message-draft.js";
import type { MessageSetup } from "./message-setup.js";
import { type MessageEditorProps, MoreOptions } from "./more-options.js";
import { Numbers } from "./numbers.js";
import { TextsFields } from "./texts-fields.js";

interface ComposerProps {
  /** The saved message, or `null` if the message hasn't been saved yet. */
  readonly saved: Message | null;
  readonly setup: MessageSetup;
  /** The audience filter, as JSON, that a new message starts with, or `null` if it starts without a filter. */
  readonly filter: string | null;
  /** The slug of the segment that a new message starts with as its audience, or `null` if there is none. */
  readonly segment: string | null;
  readonly onChanged: (message: Message) => void;
}

/** The state of the dialogs shown before a message is sent. */
interface SendDialogState {
  readonly message: Message;
  /** The counts from the preview, or `null` for a test message. */
  readonly numbers: MessagePreview | null;
  readonly dialogs: Awaited<ReturnType<typeof loadSendDialogs>>;
}

/** The message editor, with previews of what customers will see. Nothing is sent until the user confirms in a dialog. */
export function Composer({ saved, setup, filter, segment, onChanged }: ComposerProps) {
  const { timeZone, templates, tags, segments } = setup;
  const [initialDraft] = useState(() => createInitialDraft(setup, filter, segment));
  const [draft, setDraft] = useState(() => (saved === null ? initialDraft : toMessageDraft(saved, timeZone)));
  const [shownText, setShownText] = useState(0);
  const [dialogState, setDialogState] = useState<SendDialogState | null>(null);
  const { isBusy, error, save } = useSave();
  // Loaded on demand, because the fields are usable without it.
  const previews = useLoad("previews", () => loadCode(() => import("./previews.js")));
  const currentMessage = fromMessageDraft(draft, timeZone);
  const savedMessage = fromMessageDraft(
    saved === null ? initialDraft : toMessageDraft(saved, timeZone),
    timeZone,
  );
  const changes = Object.entries(currentMessage).filter(
    ([name, value]) => !isSame(value, Reflect.get(savedMessage, name)),
  );
  const isDirty = changes.length > 0;
  const channels = listChannels(draft);
  const template = templates.find(({ id }) => id === draft.templateId) ?? null;

  const fieldErrors = error === null ? {} : toFieldErrors(error);
  const findError = (path: string) => fieldErrors[path];
  const change = (part: Partial<MessageDraft>) => setDraft((latest) => ({ ...latest, ...part }));
  const saveMessage = async (): Promise<Message> => {
    if (saved !== null && !isDirty) return saved;
    const message =
      saved === null
        ? await api.messages.create(currentMessage)
        : await api.messages.update(saved.id, Object.fromEntries(changes));
    if (saved === null) replaceLocation(`/messages/${encodeURIComponent(message.id)}`);
    setDraft((latest) => (latest === draft ? toMessageDraft(message, timeZone) : latest));
    onChanged(message);
    return message;
  };
  const saveDraft = async () => {
    await saveMessage();
    showToast(words.saved);
  };
  const openTest = async () => {
    const [message, loadedDialogs] = await Promise.all([saveMessage(), loadSendDialogs()]);
    setDialogState({ message, numbers: null, dialogs: loadedDialogs });
  };
  const openConfirmation = async () => {
    const [message, loadedDialogs] = await Promise.all([saveMessage(), loadSendDialogs()]);
    setDialogState({ message, numbers: await api.messages.preview(message.id), dialogs: loadedDialogs });
  };
  const errorPaths = Object.keys(fieldErrors);
  return (
    <>
      <form
        aria-label={words.label}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save(saveDraft);
        }}
      >
        <UnsavedChanges isDirty={isDirty} />
        <PageHead
          title={saved === null ? words.fresh : <bdi>{saved.name}</bdi>}
          documentTitle={saved?.name ?? words.fresh}
        >
          <div class="row compose-actions">
            <Button text={words.save} type="submit" disabled={isBusy} />
            <Button text={words.test} disabled={isBusy} onClick={() => void save(openTest)} />
            <Button
              kind="primary"
              text={draft.sendAt === "" ? words.send : words.schedule}
              disabled={isBusy}
              onClick={() => void save(openConfirmation)}
            />
          </div>
        </PageHead>
        {channels.includes("email") && !session.hasMail && <MissingSetup text={parts.noMail} />}
        {channels.includes("wallet") && !session.hasWallets && <MissingSetup text={parts.noWallets} />}
        {error !== null && (
          <ErrorText>
            {errorPaths.length === 0 || !errorPaths.every(isFieldVisible) ? error.message : words.wrong}
          </ErrorText>
        )}
        <div class="halves compose">
          <div class="stack">
            <AudienceFields
              draft={draft}
              tags={tags}
              segments={segments}
              findError={findError}
              onChange={change}
            />
            {saved === null || isDirty ? (
              <LiveNumbers draft={{ ...currentMessage, channels }} />
            ) : (
              <Numbers message={saved} />
            )}
            <TextsFields
              texts={draft.texts}
              channels={channels}
              hasCard={template !== null}
              findError={findError}
              onChange={(texts, index) => {
                setShownText(index);
                change({ texts });
              }}
              onShow={setShownText}
            />
          </div>
          <div class="stack preview">
            <Loading data={previews} height="24rem">
              {({ Previews }) => (
                <Previews
                  text={draft.texts[shownText] ?? draft.texts[0] ?? createEmptyText(own)}
                  channels={channels}
                  template={template}
                  link={draft.link}
                  setup={setup}
                />
              )}
            </Loading>
          </div>
          <div class="stack">
            <ScheduleFields draft={draft} setup={setup} findError={findError} onChange={change} />
            <MoreOptions
              draft={draft}
              setup={setup}
              defaults={initialDraft}
              findError={findError}
              onChange={change}
            />
            {saved !== null && (
              <div>
                <ConfirmButton
                  text={words.delete}
                  kind="danger"
                  title={words.deleteTitle(saved.name)}
                  confirmText={words.deleteVerb}
                  call={() => api.messages.delete(saved.id)}
                  successMessage={words.wasDeleted}
                  onDone={() => navigateNow("/messages")}
                >
                  <p>{words.deleteHint}</p>
                </ConfirmButton>
              </div>
            )}
          </div>
        </div>
      </form>
      {dialogState !== null && (
        <SendStep {...dialogState} setup={setup} onClose={() => setDialogState(null)} onSent={onChanged} />
      )}
    </>
  );
}

interface SendStepProps extends SendDialogState {
  readonly setup: MessageSetup;
  readonly onClose: () => void;
  readonly onSent: (message: Message) => void;
}

/** Shows the dialog before sending: the choice of a recipient for a test, or the confirmation. */
function SendStep({ message, numbers, dialogs, ...rest }: SendStepProps) {
  const { SendDialog, TestDialog } = dialogs;
  if (numbers === null) return <TestDialog message={message} onClose={rest.onClose} />;
  return <SendDialog message={message} numbers={numbers} {...rest} />;
}

/** Returns error messages keyed by field. If a resource is missing, the error belongs to the field that refers to it. */
function toFieldErrors({ fields, missingResource }: CallError): Readonly<Record<string, string>> {
  if (missingResource === "user") return { "audience.userIds": words.noCustomer };
  if (missingResource === "template") return { templateId: words.noCard };
  return fields;
}

/** Returns whether the form shows a field's error next to the field. */
const isFieldVisible = (field: string) =>
  /^(name|templateId|channels|texts|link|audience|sendAt|expiresAt|showUntil)\b/.test(field);

const isSame = (first: unknown, second: unknown) => JSON.stringify(first) === JSON.stringify(second);

/** Creates an empty message that uses all channels that this server supports, or email if it supports none. */
function createInitialDraft(
  { templates, shopLanguage }: MessageSetup,
  filter: string | null,
  segment: string | null,
): MessageDraft {
  const [template] = templates;
  const onWallet = session.hasWallets && template !== undefined;
  return {
    ...emptyMessage,
    templateId: template?.id ?? "",
    onWallet,
    byEmail: session.hasMail || !onWallet,
    texts: [createEmptyText(pickDefaultLanguage({ template, shop: shopLanguage }))],
    ...(segment !== null && { audience: "segment", segment }),
    // If the filter in a link is malformed, the message gets an empty filter, which can't be sent, rather than all customers.
    tree: (filter === null ? null : parseGroupText(filter)) ?? createGroup(),
    ...(filter !== null && { audience: "filter" }),
  };
}

/**
 * Loads the code for the send and test dialogs on demand, because it isn't needed while a message is being edited.
 * @throws {CallError} if the server can't be reached.
 */
async function loadSendDialogs() {
  try {
    const [{ SendDialog }, { TestDialog }] = await Promise.all([
      import("./send-dialog.js"),
      import("./test-dialog.js"),
    ]);
    return { SendDialog, TestDialog };
  } catch {
    throw new CallError(0, null);
  }
}

/** The form field for when a message starts. The time is in the organization's time zone. */
function ScheduleFields({
  draft,
  setup,
  findError,
  onChange,
}: MessageEditorProps & { readonly setup: MessageSetup }) {
  const { sendAt } = draft;
  const { timeZone, isShopTimeZone } = setup;
  return (
    <section class="panel padded stack" aria-label={whenWords.title}>
      <h2>{whenWords.title}</h2>
      <TextField
        label={whenWords.begins}
        hint={isShopTimeZone ? whenWords.beginsHint(timeZone) : whenWords.beginsHintHere(timeZone)}
        type="datetime-local"
        error={findError("sendAt")}
        value={sendAt}
        onText={(text) => onChange({ sendAt: text })}
      />
      <QuietHours sendAt={sendAt} setup={setup} />
    </section>
  );
}

interface QuietHoursProps {
  readonly sendAt: string;
  readonly setup: MessageSetup;
}

/** Shows the quiet hours, with a warning if the message would be sent during them. */
function QuietHours({ sendAt, setup: { rules } }: QuietHoursProps) {
  const { quietHours } = rules;
  if (quietHours === null) return null;
  const { from, to } = quietHours;
  if (sendAt !== "" && isBetween(sendAt.slice(11, 16), quietHours)) {
    return (
      <p class="note warn" role="status">
        {whenWords.isQuiet(from, to)}
      </p>
    );
  }
  return (
    <p class="hint">
      {whenWords.quietBefore} <Link to="/settings/messages">{whenWords.quietHours}</Link>
      {whenWords.quietTimes(from, to)}
    </p>
  );
}
