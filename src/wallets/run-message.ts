import type { Step } from "../concurrency/step.js";
import { type AutomationMessage, actionsOf } from "../resources/automation.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** The message of a run of an automation: the run, and the place of the message among its actions. */
export interface RunMessage {
  readonly automationRunId: string;
  readonly actionIndex: number;
}

const RUN_MESSAGE = /^(atr_.+)\.(\d+)$/;

/** The id by which cards, and wallets, know the message of a run. */
export function formatRunMessageId({ automationRunId, actionIndex }: RunMessage): string {
  return `${automationRunId}.${actionIndex}`;
}

/** The message of a run by its id; `null` for an id of anything else. */
export function parseRunMessageId(id: string): RunMessage | null {
  const [, automationRunId, index] = RUN_MESSAGE.exec(id) ?? [];
  return automationRunId === undefined ? null : { automationRunId, actionIndex: Number(index) };
}

/** Reads what a run says by a message, in the version with which it began; `null` if its automation is gone. */
export function* readRunTexts(
  reader: StorageReader,
  organizationId: string,
  { automationRunId, actionIndex }: RunMessage,
): Step<AutomationMessage | null> {
  const run = yield* reader.findAutomationRun(organizationId, automationRunId);
  if (run === null) return null;
  const version = yield* reader.automationVersion(organizationId, run.automationId, run.version);
  const action = version === null ? undefined : actionsOf(version)[actionIndex];
  return action !== undefined && "message" in action ? action.message : null;
}
