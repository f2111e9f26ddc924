import { useRef } from "preact/hooks";
import type { Message } from "../../../../../src/messages/schema.js";
import { CallError } from "../api/call-error.js";
import { hasScopes } from "../api/session.js";
import { BackLink } from "../app/router.js";
import { NotFound, type ScreenProps } from "../app/screen.js";
import { Empty, Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { composer as words } from "../words/en/message-editor.js";
import { Composer } from "./composer.js";
import { loadSetup, type MessageSetup } from "./message-setup.js";
import { isDue, isInProgress } from "./message-words.js";

const RELOAD_MS = 2_000;

/**
 * The screen for one message. Shows the editor for a new message or a draft if the user is allowed to send messages. Otherwise,
 * shows the report.
 */
export function MessageScreen({ screenLocation }: ScreenProps) {
  const { id } = screenLocation;
  const setup = useLoad("setup", loadSetup);
  // A new message gets its ID when it is first saved, without leaving the form.
  const messageId = useRef(id === "new" ? null : id);
  const loadedMessage = useLoad(id, async (calls) => ({
    message: messageId.current === null ? null : await calls.messages.get(messageId.current),
  }));
  const message = loadedMessage.value?.message ?? null;
  useInterval(RELOAD_MS, () => {
    if (message !== null && !loadedMessage.isLoading && (isInProgress(message) || isDue(message)))
      loadedMessage.reload();
  });
  const setMessage = (updatedMessage: Message) => {
    messageId.current = updatedMessage.id;
    loadedMessage.set({ message: updatedMessage });
  };
  return (
    <>
      <BackLink to="/messages" text={words.back} />
      <Loading data={setup} height="30rem">
        {(loadedSetup) => (
          <Loading data={loadedMessage} height="30rem" missing={<NotFound />}>
            {({ message }) => (
              <MessageContent
                message={message}
                setup={loadedSetup}
                screenLocation={screenLocation}
                onChanged={setMessage}
              />
            )}
          </Loading>
        )}
      </Loading>
    </>
  );
}

interface MessageContentProps extends ScreenProps {
  readonly message: Message | null;
  readonly setup: MessageSetup;
  readonly onChanged: (message: Message) => void;
}

function MessageContent({ message, setup, screenLocation, onChanged }: MessageContentProps) {
  const filter = screenLocation.query.get("filter");
  const segment = screenLocation.query.get("segment");
  const isEditable = hasScopes("message:send") && (message === null || message.status === "DRAFT");
  const report = useLoad(String(isEditable), async () => (isEditable ? null : await loadReport()));
  if (isEditable)
    return <Composer saved={message} setup={setup} filter={filter} segment={segment} onChanged={onChanged} />;
  if (message !== null)
    return (
      <Loading data={report} height="30rem">
        {(code) => code !== null && <code.Report message={message} setup={setup} onChanged={onChanged} />}
      </Loading>
    );
  return (
    <Empty isPanel title={words.refused}>
      {words.refusedHint}
    </Empty>
  );
}

/**
 * Loads the code for a sent message's report on demand, because drafts don't need it.
 * @throws {CallError} if the server can't be reached.
 */
async function loadReport() {
  try {
    const { Report } = await import("./report.js");
    return { Report };
  } catch {
    throw new CallError(0, null);
  }
}
