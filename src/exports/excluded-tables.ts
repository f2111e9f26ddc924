interface LeftOut {
  readonly tables: readonly string[];
  readonly because: string;
}

/** Tables that are excluded from exports, in groups with the reason for each. The archive's manifest includes this list. */
export const excludedTables: readonly LeftOut[] = [
  { tables: ["grantTokens"], because: "the tokens of apps are secrets" },
  {
    tables: ["idempotencyRecords"],
    because: "saved responses for idempotency keys are encrypted and expire within hours",
  },
  {
    tables: ["walletCards", "mailQueues"],
    because: "the keys of wallets and mail links are secrets",
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
    because: "it is derived from other data",
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
    because: "pending work of this service",
  },
  { tables: ["automationVersions"], because: "earlier versions of automations are kept only for their runs" },
];
