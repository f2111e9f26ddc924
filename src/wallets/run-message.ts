import { type AutomationMessage, actionsOf } from "../automations/schema.js";
import type { Step } from "../base/concurrency/step.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** Identifies a message sent by an automation run, by the run's ID and the index of the action that sent it. */
export interface RunMessage {
  readonly automationRunId: string;
  readonly actionIndex: number;
}

const RUN_MESSAGE = /^(atr_.+)\.(\d+)$/;

/** Formats the ID that identifies a run's message on cards and in wallets. */
export function formatRunMessageId({ automationRunId, actionIndex }: RunMessage): string {
  return `${automationRunId}.${actionIndex}`;
}

/** Parses the ID of a run's message. Returns `null` for the ID of any other kind of message. */
export function parseRunMessageId(id: string): RunMessage | null {
  const [, automationRunId, index] = RUN_MESSAGE.exec(id) ?? [];
  return automationRunId === undefined ? null : { automationRunId, actionIndex: Number(index) };
}

/**
 * Returns a run's message, as defined in the automation version that the run started with. Returns `null` if the automation has
 * been deleted.
 */
export function* readRunTexts(
  reader: StorageReader,
  { automationRunId, actionIndex }: RunMessage,
): Step<AutomationMessage | null> {
  const run = yield* reader.findAutomationRun(automationRunId);
  if (run === null) return null;
  const version = yield* reader.automationVersion(run.automationId, run.version);
  const action = version === null ? undefined : actionsOf(version)[actionIndex];
  return action !== undefined && "message" in action ? action.message : null;
}
