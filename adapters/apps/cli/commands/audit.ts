import type { Command } from "commander";
import type { AuditEntry } from "../../../../src/access/audit-schema.js";
import { addOrganizationCommand, type CommandTarget, withOrganization } from "../database/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, printList, printTable } from "../terminal/output.js";
import { createParser } from "../terminal/values.js";

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** Number of entries per page. */
const PAGE_SIZE = 1_000;

/** Adds `loyalty-kit audit`, whose subcommands list and verify the audit trail. */
export function addAudit(program: Command, output: Output): void {
  const audit = program.command("audit").description("list and verify the audit trail");

  const addCommand = (name: string, description: string) => addOrganizationCommand(audit, name, description);

  addCommand(
    "list",
    "list audit trail entries (such as token changes, exports, and erasures), oldest first",
  ).action((target: CommandTarget) =>
    withOrganization(target, async (organization) => {
      const firstPage = await organization.audit.list({ limit: PAGE_SIZE });
      const headings = ["NUMBER", "TIME", "ACTION", "TARGET", "ACTOR", "SUBJECT", "DETAILS"];
      const emptyMessage = `the audit trail for organization ${target.organization} is empty`;
      printList(headings, firstPage.content.map(toRow), emptyMessage, output);
      for (let page = firstPage; page.content.length > 0; ) {
        page = await organization.audit.list({ after: page.next, limit: PAGE_SIZE });
        printTable(page.content.map(toRow), output);
      }
    }),
  );

  addCommand(
    "verify",
    "verify the audit trail and print the number and hash of its newest entry; exits with code 1 if the trail was altered",
  )
    .option(
      "--head <sequence:hash>",
      "output of an earlier audit verify run; fails if the entry it names has changed",
      parseTrailHead,
    )
    .action(async ({ head: expectedHead, ...target }: CommandTarget & { readonly head?: Head }) => {
      const { entries, head, brokenAt } = await withOrganization(target, (organization) =>
        organization.audit.verify(expectedHead),
      );
      if (brokenAt !== null) {
        throw new CommandError(
          `the audit trail for ${target.organization} was altered, starting at entry ${brokenAt}`,
        );
      }
      output.note(`${entries} entries verified`);
      if (head !== null) output.result(`${head.sequence}:${head.hash}`);
    });
}

function toRow({ sequence, createdAt, action, target, actor, details }: AuditEntry): string[] {
  const actorText = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  return [
    String(sequence),
    createdAt,
    action,
    target ?? "-",
    actorText,
    actor.subject ?? "-",
    JSON.stringify(details),
  ];
}

const parseTrailHead = createParser((text): Head | null => {
  const [, sequence, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? null : { sequence: Number(sequence), hash };
}, "It must be the output of audit verify, such as 7:9f86d08…");
