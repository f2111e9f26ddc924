import { type Command, Option } from "commander";
import type { Automation, CreateAutomation } from "../../../../src/automations/schema.js";
import type { Organization } from "../../../../src/organization.js";
import { type AutomationRunStatus, automationRunStatuses } from "../../../../src/storage/automations.js";
import { readTextFile } from "../../../setup/text-file.js";
import { dedupePages } from "../database/dedupe-pages.js";
import {
  addOrganizationCommand,
  type CommandTarget,
  createMissingResourceHandler,
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
  addReadCommands(automation, output);
  addWriteCommands(automation, output);
}

/** Adds the commands that read automations. */
function addReadCommands(automation: Command, output: Output): void {
  addOrganizationCommand(automation, "list", "list automations, oldest first").action(
    async (target: CommandTarget) => {
      const all = await withOrganization(target, ({ automations }) => automations.list());
      const rows = all.map((each) => [
        ...[each.id, each.isEnabled ? "yes" : "no", describeTrigger(each), each.name, each.createdAt],
      ]);
      const emptyMessage = `organization ${target.organization} has no automations`;
      printList(["ID", "ENABLED", "TRIGGER", "NAME", "CREATED"], rows, emptyMessage, output);
    },
  );

  addAutomationCommand(automation, "show", "print an automation as JSON").action(
    async (id: string, target: CommandTarget) => {
      const automation = await withResource({ kind: "automation", id }, target, ({ automations }) =>
        automations.get(id),
      );
      printJson(automation, output, 2);
    },
  );

  addAutomationCommand(automation, "runs", "print an automation's stored runs as CSV, newest first")
    .addOption(
      new Option("--status <status>", "show only runs with this status").choices(automationRunStatuses),
    )
    .action(async (id: string, { status, ...target }: RunsOptions) => {
      await withResource({ kind: "automation", id }, target, async ({ automations }) => {
        await automations.get(id);
        output.result(columns.join(","));
        const filter = status === undefined ? {} : { status };
        for await (const run of dedupePages((page) => automations.runs(id, { ...filter, ...page })))
          output.result(columns.map((name) => String(run[name] ?? "")).join(","));
      });
    });

  addAutomationCommand(
    automation,
    "test",
    "test an automation with one user and print the result as JSON; nothing is changed or sent",
  )
    .argument("<user>", "user ID or external ID")
    .action(async (id: string, user: string, target: CommandTarget) => {
      const test = async ({ automations }: Organization) => {
        await automations.get(id);
        return automations
          .test(id, { userId: user })
          .catch(createMissingResourceHandler({ kind: "user", id: user }, target));
      };
      const testResult = await withResource({ kind: "automation", id }, target, test, "messages");
      printJson(testResult, output, 2);
    });
}

/** Adds the commands that change automations. */
function addWriteCommands(automation: Command, output: Output): void {
  addOrganizationCommand(automation, "create", "create an automation from a JSON file")
    .argument(
      "<file>",
      'JSON file containing the request body for POST /v1/automations (use "-" to read from standard input)',
    )
    .addHelpText("after", "\nSee docs/messages.md for the message format.")
    .action(async (file: string, target: CommandTarget) => {
      const input = readAutomationFile(file);
      const create = ({ automations }: Organization) => automations.create(input).catch(rethrowFieldError);
      const { id, isEnabled } = await withOrganization(target, create, "messages");
      output.result(`automation ${id} created${isEnabled ? "" : ", but disabled"}`);
    });

  const toggleCommands = [
    { name: "enable", isEnabled: true, description: "enable an automation, starting with new events" },
    { name: "disable", isEnabled: false, description: "disable an automation and skip its waiting runs" },
  ];
  for (const { name, isEnabled, description } of toggleCommands) {
    addAutomationCommand(automation, name, description).action(async (id: string, target: CommandTarget) => {
      const change = async ({ automations }: Organization) => {
        await automations.get(id);
        await automations.update(id, { isEnabled }).catch(rethrowFieldError);
      };
      await withResource({ kind: "automation", id }, target, change, "messages");
      output.result(`automation ${id} is ${name}d`);
    });
  }

  addAutomationCommand(automation, "delete", "delete an automation and skip its waiting runs").action(
    async (id: string, target: CommandTarget) => {
      await withResource({ kind: "automation", id }, target, ({ automations }) => automations.delete(id));
      output.result(`automation ${id} deleted`);
    },
  );
}

function addAutomationCommand(automation: Command, name: string, description: string): Command {
  return addOrganizationCommand(automation, name, description).argument("<id>", "automation ID");
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
function rethrowFieldError(error: unknown): never {
  throw toFieldError(error);
}

/**
 * Reads an automation's definition, which the library validates later.
 * @throws {CommandError} if the file can't be read or isn't valid JSON.
 */
function readAutomationFile(file: string): CreateAutomation {
  const [source, name] = file === "-" ? ([0, "standard input"] as const) : ([file, file] as const);
  try {
    return JSON.parse(readTextFile(source, name));
  } catch (error) {
    throw error instanceof SyntaxError
      ? new CommandError(`${name} is not valid JSON`, USAGE_ERROR_CODE, { cause: error })
      : toUsageError(error);
  }
}
