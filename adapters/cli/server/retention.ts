import { InvalidArgumentError, Option } from "commander";
import { keepMsOf, type OutboxOptions } from "../../../src/events/outbox.js";
import { type RetentionOptions, retentionOf } from "../../../src/tenant/retention.js";
import { namedNumbers } from "../terminal/named-numbers.js";

/** How long a server keeps what. */
export interface Kept {
  readonly outbox: OutboxOptions;
  readonly retention: RetentionOptions;
}

/** `--keep`, how long what is kept. */
export function keepOption(): Option {
  return new Option(
    "--keep <list>",
    "how long what is kept, such as eventDays=7,answerHours=12: see docs/privacy.md for all of them",
  )
    .env("LOYALTY_KEEP")
    .argParser(parseKept);
}

function parseKept(text: string): Kept {
  const names = ["eventDays", "events", "deliveryDays", "answerHours"] as const;
  const { eventDays, events, ...retention } = namedNumbers(text, names, "eventDays=7");
  const kept: Kept = {
    outbox: {
      ...(eventDays !== undefined && { keepDays: eventDays }),
      ...(events !== undefined && { keepEvents: events }),
    },
    retention,
  };
  try {
    retentionOf(kept.retention, keepMsOf(kept.outbox));
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
  return kept;
}
