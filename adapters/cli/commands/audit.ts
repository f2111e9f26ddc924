import { type Command, InvalidArgumentError } from "commander";
import type { AuditEntry } from "../../../src/resources/audit.js";
import type { Database } from "../database/database.js";
import { databaseOption, inOrganization } from "../database/open-database.js";
import { CommandError } from "../terminal/command-error.js";
import { organizationOption } from "../terminal/organization.js";
import { type Output, oneLine } from "../terminal/output.js";
import { tableOf } from "../terminal/table.js";

interface AuditOptions {
  readonly database: Database;
  readonly organization: string;
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** How many entries are listed in one table. */
const PAGE = 1_000;

/** `loyalty-kit audit list | verify` */
export function addAudit(program: Command, output: Output): void {
  const audit = program
    .command("audit")
    .description("who has managed an organization, and whether that is so");

  audit
    .command("list")
    .description(
      "show what was done to tokens, apps and webhooks, and what was exported and erased, oldest first",
    )
    .addOption(databaseOption())
    .addOption(organizationOption("whose trail"))
    .action(async (place: AuditOptions) => {
      await inOrganization(place, async (organization) => {
        for (let after = "0"; ; ) {
          const { content, next } = await organization.audit.list({ after, limit: PAGE });
          if (content.length === 0 && after === "0") {
            output.note(`nothing is noted of organization ${oneLine(place.organization)}`);
          }
          if (content.length === 0) return;
          const rows = content.map(rowOf);
          for (const line of tableOf(after === "0" ? [headings, ...rows] : rows)) output.result(line);
          after = next;
        }
      });
    });

  audit
    .command("verify")
    .description("look whether the trail is as it was written, and print its head; 1 when it is not")
    .addOption(databaseOption())
    .addOption(organizationOption("whose trail"))
    .option(
      "--head <sequence:hash>",
      "what an earlier look has printed, which has to be there still",
      parseHead,
    )
    .action(async ({ head: known, ...place }: AuditOptions & { readonly head?: Head }) => {
      const { entries, head, brokenAt } = await inOrganization(place, (organization) =>
        organization.audit.verify(known),
      );
      if (brokenAt !== null) {
        throw new CommandError(
          `the trail of ${place.organization} is not as it was written from entry ${brokenAt} on`,
        );
      }
      output.note(`${entries} entries are as they were written`);
      if (head !== null) output.result(`${head.sequence}:${head.hash}`);
    });
}

const headings = ["NUMBER", "TIME", "ACT", "OF", "BY", "SUBJECT", "DETAILS"];

function rowOf({ sequence, createdAt, act, target, actor, details }: AuditEntry): string[] {
  const by = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  return [String(sequence), createdAt, act, target ?? "-", by, actor.subject ?? "-", JSON.stringify(details)];
}

function parseHead(text: string): Head {
  const [, sequence, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence === undefined || hash === undefined) {
    throw new InvalidArgumentError("Give what audit verify has printed, such as 7:9f86d08….");
  }
  return { sequence: Number(sequence), hash };
}
