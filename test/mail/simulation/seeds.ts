/**
 * Which trials to run: the seeds from 1 on, or the one that the environment variable `MAIL_SEED` names, to replay a trial that
 * failed. `MAIL_SEEDS` runs so many times as many.
 */
export function seeds(count: number): number[] {
  const { MAIL_SEED, MAIL_SEEDS = "1" } = process.env;
  return MAIL_SEED === undefined
    ? Array.from({ length: count * Number(MAIL_SEEDS) }, (_, at) => at + 1)
    : [Number(MAIL_SEED)];
}
