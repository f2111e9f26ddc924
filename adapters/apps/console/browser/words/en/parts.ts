/** UI text for components that several screens share. */
export const parts = {
  pager: {
    label: (noun: string) => `Pages of ${noun}`,
    newer: (noun: string) => `Newer ${noun}`,
    older: (noun: string) => `Older ${noun}`,
    range: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  },
  cancel: "Cancel",
  keep: "Keep",
  undo: "Undo",
  dismiss: "Dismiss",
  tryAgain: "Try again",
  loading: "Loading",
  required: "required",
  on: "On",
  off: "Off",
  numbered: (at: number) => `Item ${at}`,
  noMail: "Email isn’t set up yet",
  noWallets: "Wallets aren’t set up yet",
  askOperator: (missing: string) => `${missing}: ask the person who runs your server.`,
  setUpOnServer: "Set up on the Server page",
};
