import { type Command, Option } from "commander";
import { isLoyaltyError } from "../../../src/errors.js";
import { type MessageStatus, messageStatuses } from "../../../src/storage/messages.js";
import { inOrganization, organizationCommand, type Place, withId } from "../database/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, printList } from "../terminal/output.js";

interface ListOptions extends Place {
  readonly status?: MessageStatus;
}

/** The newest messages that a list shows. */
const SHOWN = 100;

/** `loyalty-kit message list | show | cancel` */
export function addMessage(program: Command, output: Output): void {
  const message = program
    .command("message")
    .description("look at the messages of an organization, and cancel one");

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
      output.result(JSON.stringify(found, null, 2));
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
      output.result(`message ${id} is cancelled`);
    });
}
