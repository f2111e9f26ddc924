import { InvalidArgumentError, Option } from "commander";
import { keepMsOf, type OutboxOptions } from "../../../src/events/outbox.js";
import { type RetentionOptions, retentionOf } from "../../../src/tenant/retention.js";

/** How long a server keeps what. */
export interface Kept {
  readonly outbox: OutboxOptions;
  readonly retention: RetentionOptions;
}

const names = ["eventDays", "events", "deliveryDays", "answerHours"] as const;

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
  const given = new Map<string, number>();
  for (const part of text.split(",")) {
    const [, name = "", count] = /^\s*(\w+)\s*=\s*([0-9]+)\s*$/.exec(part) ?? [];
    if (!names.some((known) => known === name)) {
      throw new InvalidArgumentError(
        `Give names and numbers such as eventDays=7, of these: ${names.join(", ")}.`,
      );
    }
    if (given.has(name)) throw new InvalidArgumentError(`${name} stands there twice.`);
    given.set(name, Number(count));
  }
  const at = (name: (typeof names)[number], as: string) => (given.has(name) ? { [as]: given.get(name) } : {});
  const kept: Kept = {
    outbox: { ...at("eventDays", "keepDays"), ...at("events", "keepEvents") },
    retention: { ...at("deliveryDays", "deliveryDays"), ...at("answerHours", "answerHours") },
  };
  try {
    retentionOf(kept.retention, keepMsOf(kept.outbox));
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
  return kept;
}
