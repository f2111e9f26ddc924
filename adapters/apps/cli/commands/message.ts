import { type Command, Option } from "commander";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { MessagePreview } from "../../../../src/messages/schema.js";
import { type MessageDeliveryStatus, messageDeliveryStatuses } from "../../../../src/storage/mail.js";
import { type MessageStatus, messageStatuses } from "../../../../src/storage/messages.js";
import { dedupePages } from "../database/dedupe-pages.js";
import {
  addOrganizationCommand,
  type CommandTarget,
  withOrganization,
  withResource,
} from "../database/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, printJson, printList } from "../terminal/output.js";

interface ListOptions extends CommandTarget {
  readonly status?: MessageStatus;
}

interface DeliveriesOptions extends CommandTarget {
  readonly status?: MessageDeliveryStatus;
}

/** Maximum number of messages in a list, newest first. */
const MAX_LISTED_MESSAGES = 50;

/** Adds `loyalty-kit message`, whose subcommands manage messages. */
export function addMessage(program: Command, output: Output): void {
  const message = program.command("message").description("manage messages");

  addOrganizationCommand(message, "list", `list the ${MAX_LISTED_MESSAGES} newest messages`)
    .addOption(
      new Option("--status <status>", "show only messages with this status").choices(messageStatuses),
    )
    .action(async ({ status, ...target }: ListOptions) => {
      const { content } = await withOrganization(target, ({ messages }) =>
        messages.list({ size: MAX_LISTED_MESSAGES, ...(status !== undefined && { status }) }),
      );
      const rows = content.map(({ id, status, name, sums, createdAt }) => [
        ...[id, status, name],
        ...(sums === null
          ? ["", "", ""]
          : [String(sums.recipients), String(sums.accepted), String(sums.pending + sums.sending)]),
        createdAt,
      ]);
      const emptyMessage = `organization ${target.organization} has no matching messages`;
      printList(
        ["ID", "STATUS", "NAME", "RECIPIENTS", "ACCEPTED", "REMAINING", "CREATED"],
        rows,
        emptyMessage,
        output,
      );
    });

  addOrganizationCommand(message, "show", "print a message and its totals as JSON")
    .argument("<id>", "message ID")
    .action(async (id: string, target: CommandTarget) => {
      const message = await withResource({ kind: "message", id }, target, ({ messages }) => messages.get(id));
      printJson(message, output, 2);
    });

  addOrganizationCommand(
    message,
    "preview",
    "preview how many customers would receive a message, and why others wouldn't",
  )
    .argument("<id>", "message ID")
    .action(async (id: string, target: CommandTarget) => {
      const preview = await withResource({ kind: "message", id }, target, ({ messages }) =>
        messages.preview(id),
      );
      for (const line of formatPreviewLines(preview)) output.result(line);
    });

  addOrganizationCommand(
    message,
    "send",
    "schedule a draft; a running server sends it immediately or at its sendAt time",
  )
    .argument("<id>", "message ID")
    .action(async (id: string, target: CommandTarget) => {
      await withResource({ kind: "message", id }, target, ({ messages }) => messages.send(id), "messages");
      output.result(`message ${id} scheduled`);
    });

  addOrganizationCommand(message, "cancel", "cancel a message; emails already being sent may still arrive")
    .argument("<id>", "message ID")
    .action(async (id: string, target: CommandTarget) => {
      await withResource({ kind: "message", id }, target, ({ messages }) =>
        messages.cancel(id).catch((error: unknown) => {
          if (isLoyaltyError(error, "message_ended"))
            throw new CommandError(`message ${id} has already been sent or canceled, or has expired`);
          throw error;
        }),
      );
      output.result(`message ${id} canceled`);
    });

  addOrganizationCommand(message, "deliveries", "print a message's deliveries as CSV")
    .argument("<id>", "message ID")
    .addOption(
      new Option("--status <status>", "show only deliveries with this status").choices(
        messageDeliveryStatuses,
      ),
    )
    .action(async (id: string, { status, ...target }: DeliveriesOptions) => {
      await withResource({ kind: "message", id }, target, async ({ messages }) => {
        await messages.get(id);
        output.result(columns.join(","));
        const filter = status === undefined ? {} : { status };
        for await (const delivery of dedupePages((page) => messages.deliveries(id, { ...filter, ...page })))
          output.result(columns.map((name) => String(delivery[name] ?? "")).join(","));
      });
    });
}

/** Columns of the delivery list. None of them contains text written by another party. */
const columns = [
  ...(["id", "userId", "channel", "platform", "status", "reason", "isSilent", "isUncertain"] as const),
  ...(["createdAt", "updatedAt"] as const),
];

function formatPreviewLines({ customers, byChannel, skipped, languages, seconds }: MessagePreview): string[] {
  const formatCounts = (countsByName: Readonly<Record<string, number>>) =>
    Object.entries(countsByName)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ") || "none";
  return [
    `customers: ${customers}`,
    `reached: ${formatCounts(byChannel)}`,
    `skipped: ${formatCounts(skipped)}`,
    `languages: ${formatCounts(languages)}`,
    `seconds: ${formatCounts(seconds)}`,
  ];
}
