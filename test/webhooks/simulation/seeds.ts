/**
 * Which trials to run: the seeds from 1 on, or the one that the environment variable `WEBHOOK_SEED` names, to replay a
 * trial that failed.
 */
export function seeds(count: number): number[] {
  const { WEBHOOK_SEED } = process.env;
  return WEBHOOK_SEED === undefined
    ? Array.from({ length: count }, (_, at) => at + 1)
    : [Number(WEBHOOK_SEED)];
}
