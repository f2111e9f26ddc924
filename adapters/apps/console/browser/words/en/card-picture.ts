/** Text that screen readers announce for pictures of cards. */
export const cardPicture = {
  progress: (stamps: number, most: number) => `${stamps} of ${most} stamps`,
  toRedeem: (count: number) => (count === 1 ? "1 reward to redeem" : `${count} rewards to redeem`),
  earns: (reward: string) => `Reward for a full card: ${reward}`,
};
