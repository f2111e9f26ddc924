/**
 * Which trials to run: the seeds from 1 on, or the one that the environment variable `WALLET_SEED` names, to replay a
 * trial that failed.
 */
export function seeds(count: number): number[] {
  const { WALLET_SEED } = process.env;
  return WALLET_SEED === undefined ? Array.from({ length: count }, (_, at) => at + 1) : [Number(WALLET_SEED)];
}
