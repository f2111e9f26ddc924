import { useMemo } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { createEmptyPoints } from "../../../../delivery/languages/point-words.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { CardPicture } from "../components/card-picture.js";
import { ConfirmDialog } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { Menu, type MenuItem } from "../components/menu.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as words } from "../words/en/customer.js";
import { PointPanel } from "./point-panel.js";
import { StampActions } from "./stamp-actions.js";

interface CardPanelProps {
  readonly pass: WalletPassDetail;
  readonly owner: User;
  /** Whether the card's everyday action is the screen's main action. */
  readonly isPrimary: boolean;
  readonly onDeleted: () => void;
  /** Called after a change that adds an entry to the timeline. */
  readonly onChanged: () => void;
}

/** Shows one of a customer's cards, with its everyday action as a button and the others in a menu. */
export function CardPanel({ pass, owner, isPrimary, onDeleted, onChanged }: CardPanelProps) {
  const { id, template, qrCodeValue, stampProgress, rewardsAvailable } = pass;
  const state = useLoad(id, async (calls) => (stampProgress === null ? null : calls.stamps.state(id)));
  const card = state.value;
  const pointState = useLoad(id, async (calls) => (pass.pointCard === null ? null : calls.points.state(id)));
  const points = pointState.value ?? pass.pointCard;
  const available = points?.available ?? null;
  const debt = points?.debt ?? 0;
  const picturedPoints = useMemo(() => {
    const empty = createEmptyPoints(template.points);
    return available === null || empty === null ? null : { ...empty, available, debt };
  }, [template.points, available, debt]);
  const address = owner.email;
  const onReceipt = ({ entryId: _, completions: __, ...after }: StampReceipt) => {
    state.set(after);
    onChanged();
  };
  const mail = () =>
    runWithToast(async () => {
      await api.passes.notify(id);
      onChanged();
      showToast(words.onItsWay(address ?? ""));
    });
  const items: readonly MenuItem[] = [
    ...(hasScopes("pass:notify") && address !== null
      ? [{ text: words.sendAgain, run: () => void mail() }]
      : []),
    ...(hasScopes("pass:delete")
      ? [
          {
            text: words.cancel,
            dialog: (close: () => void) => (
              <ConfirmDialog
                title={words.cancelTitle(template.name)}
                confirmText={words.cancel}
                call={() => api.passes.delete(id)}
                successMessage={words.canceled(template.name)}
                onDone={onDeleted}
                onClose={close}
              >
                <p>{words.cancelText}</p>
              </ConfirmDialog>
            ),
          },
        ]
      : []),
  ];
  const canChange = hasScopes("loyalty:manage");
  const actionProps = { isPrimary, menuLabel: words.more(template.name), otherItems: items };
  const hasActions = canChange && (stampProgress !== null || pass.pointCard !== null);

  return (
    <section class="panel padded stack" aria-label={template.name}>
      <CardPicture
        card={template}
        maxStamps={stampProgress?.maxStamps ?? null}
        stamps={card?.currentStamps ?? stampProgress?.currentStamps ?? 0}
        rewards={card?.rewardsAvailable ?? rewardsAvailable ?? 0}
        points={picturedPoints}
      />
      {stampProgress !== null && (
        <Loading
          data={state}
          {...(canChange && { height: "var(--tap)", count: (rewardsAvailable ?? 0) > 0 ? 2 : 1 })}
        />
      )}
      {card !== null && canChange && (
        <StampActions {...actionProps} passId={id} card={card} onReceipt={onReceipt} />
      )}
      {points !== null && (
        <>
          <Loading data={pointState} />
          <PointPanel
            {...actionProps}
            pass={pass}
            card={points}
            onChanged={(after) => {
              pointState.set(after);
              onChanged();
            }}
          />
        </>
      )}
      <div class="row spread">
        {card !== null && <p class="quiet">{words.inAll(card.totalStampsCollected, card.timesCompleted)}</p>}
        <a href={qrCodeValue} target="_blank" rel="noreferrer">
          {words.page}
        </a>
        {!hasActions && items.length > 0 && <Menu label={actionProps.menuLabel} items={items} />}
      </div>
    </section>
  );
}
