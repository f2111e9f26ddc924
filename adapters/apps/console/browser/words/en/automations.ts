import { countText } from "./forms.js";

/** UI text for the automation screens, except for runs and for the sentences that describe an automation. */
export const automations = {
  title: "Automations",
  back: "Automations",
  fresh: "New automation",
  edit: "Edit",
  none: "No automations yet",
  noneHint: "Start from a template and edit the wording.",
  list: "Automations",
  runsOf: (runs: number) => countText(runs, "run"),
  noRuns: "Hasn’t run yet",
  last: (when: string, how: string) => `last run ${when}: ${how}`,
  wasOn: (name: string) => `“${name}” is now on`,
  wasOff: (name: string) => `“${name}” is now off`,
  about: "What it does",
  starts: "When",
  condition: "Who it’s for",
  actions: "Actions",
  per: "How often",
  numbers: "Results",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete “${name}”`,
  deleteHint:
    "Completed runs are kept, and waiting runs are skipped. This can’t be undone. To pause it instead, turn it off.",
  wasDeleted: (name: string) => `“${name}” was deleted`,
} as const;
