import { type Command, Option } from "commander";
import type { Automation, CreateAutomation } from "../../../../src/automations/schema.js";
import type { Organization } from "../../../../src/organization.js";
import { type AutomationRunStatus, automationRunStatuses } from "../../../../src/storage/automations.js";
import { readTextFile } from "../../../setup/text-file.js";
import { dedupePages } from "../database/dedupe-pages.js";
import {
  type CommandTarget,
  missingResourceHandler,
  organizationCommand,
  withOrganization,
  withResource,
} from "../database/organization.js";
import { CommandError, toFieldError, toUsageError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, printJson, printList } from "../terminal/output.js";

interface RunsOptions extends CommandTarget {
  readonly status?: AutomationRunStatus;
}

/** Adds `loyalty-kit automation`, whose subcommands manage automations. */
export function addAutomation(program: Command, output: Output): void {
  const automation = program.command("automation").description("manage automations");
  addLooks(automation, output);
  addChanges(automation, output);
}

/** Adds the commands that read automations. */
function addLooks(automation: Command, output: Output): void {
  organizationCommand(automation, "list", "list automations, oldest first").action(
    async (place: CommandTarget) => {
      const all = await withOrganization(place, ({ automations }) => automations.list());
      const rows = all.map((each) => [
        ...[each.id, each.isEnabled ? "yes" : "no", describeTrigger(each), each.name, each.createdAt],
      ]);
      const none = `organization ${place.organization} has no automations`;
      printList(["ID", "ENABLED", "TRIGGER", "NAME", "CREATED"], rows, none, output);
    },
  );

  onOne(automation, "show", "print an automation as JSON").action(
    async (id: string, place: CommandTarget) => {
      const automation = await withResource({ kind: "automation", id }, place, ({ automations }) =>
        automations.get(id),
      );
      printJson(automation, output, 2);
    },
  );

  onOne(automation, "runs", "print an automation's stored runs as CSV, newest first")
    .addOption(
      new Option("--status <status>", "show only runs with this status").choices(automationRunStatuses),
    )
    .action(async (id: string, { status, ...place }: RunsOptions) => {
      await withResource({ kind: "automation", id }, place, async ({ automations }) => {
        await automations.get(id);
        output.result(columns.join(","));
        const filter = status === undefined ? {} : { status };
        for await (const run of dedupePages((page) => automations.runs(id, { ...filter, ...page })))
          output.result(columns.map((name) => String(run[name] ?? "")).join(","));
      });
    });

  onOne(
    automation,
    "test",
    "test an automation with one user and print the result as JSON; nothing is changed or sent",
  )
    .argument("<user>", "user ID or external ID")
    .action(async (id: string, user: string, place: CommandTarget) => {
      const test = async ({ automations }: Organization) => {
        await automations.get(id);
        return automations
          .test(id, { userId: user })
          .catch(missingResourceHandler({ kind: "user", id: user }, place));
      };
      const tested = await withResource({ kind: "automation", id }, place, test, "messages");
      printJson(tested, output, 2);
    });
}

/** Adds the commands that change automations. */
function addChanges(automation: Command, output: Output): void {
  organizationCommand(automation, "create", "create an automation from a JSON file")
    .argument(
      "<file>",
      'JSON file containing the request body for POST /v1/automations (use "-" to read from standard input)',
    )
    .addHelpText("after", "\nSee docs/messages.md for the message format.")
    .action(async (file: string, place: CommandTarget) => {
      const input = readContentFile(file);
      const create = ({ automations }: Organization) => automations.create(input).catch(refusedAsWritten);
      const { id, isEnabled } = await withOrganization(place, create, "messages");
      output.result(`automation ${id} created${isEnabled ? "" : ", but disabled"}`);
    });

  const switches = [
    { name: "enable", isEnabled: true, does: "enable an automation, starting with new events" },
    { name: "disable", isEnabled: false, does: "disable an automation and skip its waiting runs" },
  ];
  for (const { name, isEnabled, does } of switches) {
    onOne(automation, name, does).action(async (id: string, place: CommandTarget) => {
      const change = async ({ automations }: Organization) => {
        await automations.get(id);
        await automations.update(id, { isEnabled }).catch(refusedAsWritten);
      };
      await withResource({ kind: "automation", id }, place, change, "messages");
      output.result(`automation ${id} is ${name}d`);
    });
  }

  onOne(automation, "delete", "delete an automation and skip its waiting runs").action(
    async (id: string, place: CommandTarget) => {
      await withResource({ kind: "automation", id }, place, ({ automations }) => automations.delete(id));
      output.result(`automation ${id} deleted`);
    },
  );
}

function onOne(automation: Command, name: string, description: string): Command {
  return organizationCommand(automation, name, description).argument("<id>", "automation ID");
}

/** Columns of the run list. None of them contains text written by a customer. */
const columns = [
  ...(["id", "userId", "version", "occasion", "status", "reason", "actionIndex"] as const),
  ...(["dueAt", "createdAt", "updatedAt"] as const),
];

function describeTrigger({ on }: Automation): string {
  if ("event" in on) return on.event;
  if ("segmentEntered" in on) return `segment ${on.segmentEntered}`;
  return "metadata" in on.date ? `date ${on.date.metadata.join(".")}` : `points of ${on.date.pointsExpiry}`;
}

/** Rethrows an error. Validation errors refer to the fields of the automation's JSON. */
function refusedAsWritten(error: unknown): never {
  throw toFieldError(error);
}

/**
 * Reads an automation's definition, which the library validates later.
 * @throws {CommandError} if the file can't be read or isn't valid JSON.
 */
function readContentFile(file: string): CreateAutomation {
  const [source, name] = file === "-" ? ([0, "standard input"] as const) : ([file, file] as const);
  try {
    return JSON.parse(readTextFile(source, name));
  } catch (error) {
    throw error instanceof SyntaxError
      ? new CommandError(`${name} is not valid JSON`, USAGE_ERROR_CODE, { cause: error })
      : toUsageError(error);
  }
}
