interface LeftOut {
  readonly tables: readonly string[];
  readonly because: string;
}

/** The tables that an export does not tell of, and why. */
export const leftOut: readonly LeftOut[] = [
  { tables: ["grantTokens"], because: "the tokens of apps are secrets" },
  {
    tables: ["idempotencyRecords"],
    because: "answers that are kept for repeated calls are sealed, and hours old at most",
  },
  {
    tables: ["walletCards", "mailQueues"],
    because: "the keys by which wallets and links of mails are known are secrets",
  },
  {
    tables: [
      "organizations",
      "segmentSets",
      "segmentChunks",
      "segmentSlices",
      "messageAudiences",
      "automationCompletions",
    ],
    because: "it is counted from the rest",
  },
  {
    tables: [
      "cooldowns",
      "walletQueues",
      "walletDeliveries",
      "mailJobs",
      "messageQueues",
      "messageJobs",
      "automationQueues",
      "segmentFollowers",
      "silentChanges",
      "tagRemovals",
      "automationJobs",
    ],
    because: "it says what this service has still to do",
  },
  { tables: ["automationVersions"], because: "earlier wordings of automations are kept for runs alone" },
];
