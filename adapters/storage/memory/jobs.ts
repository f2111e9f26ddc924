import { compareTexts } from "../../../src/base/values/text.js";
import type { Claim, Job, JobKind, JobResult, NewJob } from "../../../src/storage/jobs.js";
import { updated } from "../../../src/storage/record.js";
import type { StoredWalletQueue } from "../../../src/storage/wallets.js";
import type { JobRow, OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, freezeRowWithLists, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

/** The rows that a job's subject may refer to, keyed by the table name that the job kind's record names. */
const subjectTables: Readonly<Record<string, (rows: OrganizationRows) => ReadonlyMap<string, unknown>>> = {
  automations: ({ automations }) => automations,
  messageDeliveries: ({ messageDeliveries }) => messageDeliveries,
  messages: ({ messages }) => messages,
  walletCards: ({ walletCards }) => walletCards,
};

export function findQueue<Queue extends object>(
  rows: OrganizationRows,
  kind: JobKind<Job, Queue>,
): Queue | null;
export function findQueue({ queues }: OrganizationRows, { queue }: JobKind): object | null {
  return queues.get(queue.name) ?? null;
}

export function insertQueue({ queues }: OrganizationRows, log: UndoLog, kind: JobKind, queue: object): void {
  log.add(queues, kind.queue.name, freezeRowWithLists(queue));
}

export function updateQueue(
  { queues }: OrganizationRows,
  log: UndoLog,
  { queue: record }: JobKind,
  queue: object,
): boolean {
  const previous = queues.get(record.name);
  if (previous === undefined) return false;
  log.set(queues, record.name, freezeRowWithLists(updated(record, previous, queue)));
  return true;
}

/** Returns whether a queue that follows the outbox has events left, or a sweep that isn't finished. */
function isBehind(queue: object | undefined, lastPosition: number): boolean {
  if (queue === undefined) return false;
  const { position = lastPosition, sweeps = [] }: Partial<StoredWalletQueue> = queue;
  return sweeps.length > 0 || position < lastPosition;
}

export function queuesWithDueJobs(store: Store, kind: JobKind, now: number, limit: number): string[] {
  const dueQueues: { readonly id: string; readonly dueAt: number }[] = [];
  for (const [id, rows] of store.all()) {
    const { jobs, lastPosition, queues } = rows;
    const dueAt = listJobs(jobs, kind).reduce((first, job) => Math.min(first, job.nextAttemptAt), Infinity);
    if (dueAt <= now || isBehind(queues.get(kind.queue.name), lastPosition))
      dueQueues.push({ id, dueAt: Math.min(dueAt, now + 1) });
  }
  return dueQueues
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, limit)
    .map(({ id }) => id);
}

export function countDueJobs(
  { jobs }: OrganizationRows,
  kind: JobKind,
  lane: string,
  now: number,
  limit: number,
): number {
  return Math.min(limit, listDueJobs(jobs, kind, lane, now).length);
}

export function putJobs(rows: OrganizationRows, log: UndoLog, kind: JobKind, jobs: readonly NewJob[]): void {
  const { record, subject } = kind;
  const table = record.columns[subject]?.traits.reference?.table ?? "";
  for (const job of jobs) {
    const subjectRows = subjectTables[table]?.(rows);
    if (subjectRows !== undefined) requireRow(subjectRows, String(job[subject]));
    const key = buildJobKey(kind, job);
    const previous = rows.jobs.get(key);
    const { revision } = job;
    const after: JobRow =
      previous === undefined
        ? { job: freezeRow({ ...job, attempts: 0 }), lease: null }
        : { ...previous, job: freezeRow({ ...previous.job, revision }) };
    log.set(rows.jobs, key, after);
  }
}

export function claimJobs(
  { jobs }: OrganizationRows,
  log: UndoLog,
  kind: JobKind,
  lane: string,
  { lease, now, until, limit }: Claim,
): Job[] {
  const { subject } = kind;
  return listDueJobs(jobs, kind, lane, now)
    .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || compareTexts(String(a[subject]), String(b[subject])))
    .slice(0, limit)
    .map((job) => {
      const claimed = freezeRow({ ...job, nextAttemptAt: until });
      log.set(jobs, buildJobKey(kind, job), { job: claimed, lease });
      return claimed;
    });
}

export function recordResults(
  { jobs }: OrganizationRows,
  log: UndoLog,
  kind: JobKind,
  lane: string,
  lease: string,
  results: readonly JobResult[],
  now: number,
): string[] {
  const recordedSubjects: string[] = [];
  for (const { subject, revision, nextAttemptAt } of results) {
    const key = buildJobKey(kind, { [kind.lane]: lane, [kind.subject]: subject });
    const row = jobs.get(key);
    if (row?.lease !== lease) continue;
    recordedSubjects.push(subject);
    const { job } = row;
    if (nextAttemptAt !== null) {
      log.set(jobs, key, {
        job: freezeRow({ ...job, attempts: job.attempts + 1, nextAttemptAt }),
        lease: null,
      });
    } else if (job.revision > revision) {
      log.set(jobs, key, { job: freezeRow({ ...job, attempts: 0, nextAttemptAt: now }), lease: null });
    } else {
      log.delete(jobs, key);
    }
  }
  return recordedSubjects;
}

export function deleteJobs(
  { jobs }: OrganizationRows,
  log: UndoLog,
  kind: JobKind,
  lane: string,
  subjects: readonly string[],
): void {
  for (const subject of subjects)
    log.delete(jobs, buildJobKey(kind, { [kind.lane]: lane, [kind.subject]: subject }));
}

/** Removes all of a subject's jobs of one kind, in every lane. The subject is the ID of the row that the jobs are about. */
export function removeJobs({ jobs }: OrganizationRows, log: UndoLog, kind: JobKind, subject: string): void {
  for (const job of listJobs(jobs, kind)) {
    if (job[kind.subject] === subject) log.delete(jobs, buildJobKey(kind, job));
  }
}

export function listJobs(jobs: OrganizationRows["jobs"], { record }: JobKind): Job[] {
  return [...jobs].flatMap(([key, { job }]) => (key.startsWith(`${record.name} `) ? [job] : []));
}

function listDueJobs(jobs: OrganizationRows["jobs"], kind: JobKind, lane: string, now: number): Job[] {
  return listJobs(jobs, kind).filter((job) => job[kind.lane] === lane && job.nextAttemptAt <= now);
}

function buildJobKey({ record, lane, subject }: JobKind, job: Readonly<Record<string, unknown>>): string {
  return `${record.name} ${String(job[lane])} ${String(job[subject])}`;
}
