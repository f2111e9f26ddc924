import { countText } from "./forms.js";

/** All words of the screens of automations, except their sentences and their runs. */
export const automations = {
  title: "Automations",
  back: "Automations",
  fresh: "New automation",
  edit: "Edit",
  none: "Nothing is done by itself yet",
  noneHint: "Begin with one that is ready: its texts are there, and you can change them.",
  list: "Automations",
  runsOf: (runs: number) => countText(runs, "run"),
  noRuns: "has not run yet",
  last: (when: string, how: string) => `the last ${when}: ${how}`,
  wasOn: (name: string) => `“${name}” is on`,
  wasOff: (name: string) => `“${name}” is off`,
  about: "What it does",
  starts: "When",
  condition: "For whom",
  actions: "What is done",
  per: "How often",
  numbers: "What came of it",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteVerb: (name: string) => `Delete “${name}”`,
  deleteHint:
    "What it has done stays. What waits for its day is left out. This can’t be undone; switching it off can.",
  wasDeleted: (name: string) => `“${name}” was deleted`,
} as const;
