import { type Command, Option } from "commander";
import { isLoyaltyError } from "../../../src/errors.js";
import type { MessagePreview } from "../../../src/resources/message.js";
import { type MessageDeliveryStatus, messageDeliveryStatuses } from "../../../src/storage/mail.js";
import { type MessageStatus, messageStatuses } from "../../../src/storage/messages.js";
import { eachOnce } from "../database/each-once.js";
import { inOrganization, organizationCommand, type Place, withId } from "../database/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, printJson, printList } from "../terminal/output.js";

interface ListOptions extends Place {
  readonly status?: MessageStatus;
}

interface DeliveriesOptions extends Place {
  readonly status?: MessageDeliveryStatus;
}

/** The newest messages that a list shows. */
const SHOWN = 50;

/** `loyalty-kit message list | show | preview | send | cancel | deliveries` */
export function addMessage(program: Command, output: Output): void {
  const message = program
    .command("message")
    .description("look at the messages of an organization, send and cancel them");

  organizationCommand(message, "list", `show the newest messages, ${SHOWN} at most`, "whose messages")
    .addOption(new Option("--status <status>", "only those that are so").choices(messageStatuses))
    .action(async ({ status, ...place }: ListOptions) => {
      const { content } = await inOrganization(place, ({ messages }) =>
        messages.list({ size: SHOWN, ...(status !== undefined && { status }) }),
      );
      const rows = content.map(({ id, status, name, sums, createdAt }) => [
        ...[id, status, name],
        ...(sums === null
          ? ["", "", ""]
          : [String(sums.recipients), String(sums.accepted), String(sums.pending + sums.sending)]),
        createdAt,
      ]);
      const none = `organization ${place.organization} has no such messages`;
      printList(["ID", "STATUS", "NAME", "RECIPIENTS", "ACCEPTED", "TO GO", "CREATED"], rows, none, output);
    });

  organizationCommand(message, "show", "write a message and its sums as JSON", "whose message")
    .argument("<id>", "the message's id")
    .action(async (id: string, place: Place) => {
      const found = await withId("message", id, place, ({ messages }) => messages.get(id));
      printJson(found, output, 2);
    });

  organizationCommand(
    message,
    "preview",
    "show how many would get a message if it were sent now, and how many not and why",
    "whose message",
  )
    .argument("<id>", "the message's id")
    .action(async (id: string, place: Place) => {
      const preview = await withId("message", id, place, ({ messages }) => messages.preview(id));
      for (const line of linesOf(preview)) output.result(line);
    });

  organizationCommand(
    message,
    "send",
    "send a draft at its time, or at once, which the servers of the database do",
    "whose message",
  )
    .argument("<id>", "the message's id")
    .action(async (id: string, place: Place) => {
      await withId("message", id, place, ({ messages }) => messages.send(id), "messages");
      output.result(`message ${id} is scheduled`);
    });

  organizationCommand(
    message,
    "cancel",
    "cancel a message: nothing goes out after it but what is being sent by then",
    "whose message",
  )
    .argument("<id>", "the message's id")
    .action(async (id: string, place: Place) => {
      await withId("message", id, place, ({ messages }) =>
        messages.cancel(id).catch((error: unknown) => {
          if (isLoyaltyError(error, "message_ended"))
            throw new CommandError(`message ${id} has ended already`);
          throw error;
        }),
      );
      output.result(`message ${id} is canceled`);
    });

  organizationCommand(
    message,
    "deliveries",
    "write the deliveries of a message that are made so far, as CSV",
    "whose message",
  )
    .argument("<id>", "the message's id")
    .addOption(new Option("--status <status>", "only those that are so").choices(messageDeliveryStatuses))
    .action(async (id: string, { status, ...place }: DeliveriesOptions) => {
      await withId("message", id, place, async ({ messages }) => {
        await messages.get(id);
        output.result(columns.join(","));
        const asked = status === undefined ? {} : { status };
        for await (const delivery of eachOnce((page) => messages.deliveries(id, { ...asked, ...page })))
          output.result(columns.map((name) => String(delivery[name] ?? "")).join(","));
      });
    });
}

/** None of them has a text of somebody else. */
const columns = [
  ...(["id", "userId", "channel", "platform", "status", "reason", "isSilent", "isUncertain"] as const),
  ...(["createdAt", "updatedAt"] as const),
];

function linesOf({ customers, byChannel, skipped, languages, seconds }: MessagePreview): string[] {
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ") || "none";
  return [
    `customers: ${customers}`,
    `reached: ${counts(byChannel)}`,
    `skipped: ${counts(skipped)}`,
    `languages: ${counts(languages)}`,
    `seconds: ${counts(seconds)}`,
  ];
}
