import type { StampCard, StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/dialog.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { customerCard as words } from "../words/en/customer.js";
import { buildChangeItem, type CardActionsProps, useCardChanges } from "./card-changes.js";

/** Maximum number of stamps in one change. */
const MAX_STAMPS = 100;

interface StampActionsProps extends CardActionsProps {
  readonly passId: string;
  readonly card: StampCard;
  readonly onReceipt: (receipt: StampReceipt) => void;
}

/** A button that adds a stamp, one that redeems a waiting reward, and a menu with all other changes. */
export function StampActions(props: StampActionsProps) {
  const { passId, card, isPrimary, menuLabel, otherItems, onReceipt } = props;
  const { isBusy, runChange } = useCardChanges(onReceipt, (input) => api.stamps.reverse(passId, input));
  const { currentStamps, maxStamps, rewardsAvailable } = card;
  const amount = { label: words.stamps, min: 1, max: MAX_STAMPS, error: words.stampsWrong(1, MAX_STAMPS) };
  const most = Math.min(currentStamps, MAX_STAMPS);
  const redeem = (note: { readonly note?: string } = {}) =>
    runChange(() => api.stamps.redeem(passId, note), words.redeemed);
  const items: readonly MenuItem[] = [
    buildChangeItem({
      text: words.addSeveral,
      amount,
      send: (count, note) => runChange(() => api.stamps.add(passId, { count, ...note }), words.added(count)),
    }),
    ...(rewardsAvailable > 0
      ? [buildChangeItem({ text: words.redeemWithNote, amount: null, send: (_, note) => redeem(note) })]
      : []),
    ...(currentStamps > 0
      ? [
          buildChangeItem({
            text: words.remove,
            amount: { ...amount, max: most, error: words.stampsWrong(1, most) },
            send: (count, note) =>
              runChange(() => api.stamps.remove(passId, { count, ...note }), words.removed(count)),
          }),
        ]
      : []),
    buildChangeItem({
      text: words.set,
      amount: { ...amount, min: 0, max: maxStamps - 1, error: words.stampsWrong(0, maxStamps - 1) },
      send: (stamps, note) =>
        runChange(() => api.stamps.set(passId, { stamps, ...note }), words.hasNow(stamps)),
    }),
    ...(currentStamps > 0
      ? [
          {
            text: words.takeAll,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.takeAllTitle}
                confirmText={words.takeAllVerb(currentStamps)}
                call={() => runChange(() => api.stamps.reset(passId), words.takenOff)}
                onClose={close}
              >
                <p>{words.rewardsStay}</p>
              </ConfirmDialog>
            ),
          },
        ]
      : []),
    ...otherItems,
  ];
  return (
    <div class="row card-actions">
      <Button
        class="grow"
        icon="plus"
        text={words.addOne}
        kind={isPrimary ? "primary" : ""}
        disabled={isBusy}
        onClick={() => void runChange(() => api.stamps.add(passId, { count: 1 }), words.added(1))}
      />
      <Menu label={menuLabel} items={items} />
      {rewardsAvailable > 0 && (
        <Button class="redeem" text={words.redeem} disabled={isBusy} onClick={() => void redeem()} />
      )}
    </div>
  );
}
