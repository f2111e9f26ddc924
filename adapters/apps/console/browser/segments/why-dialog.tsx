import { Button } from "../components/button.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { why } from "../words/en/segment-explanations.js";
import { Explanation } from "./explanation.js";
import type { FilterOptions } from "./filter-options.js";

interface WhyProps {
  readonly segment: { readonly slug: string; readonly name: string };
  readonly customer: { readonly id: string; readonly name: string | null; readonly email: string | null };
  readonly lists: FilterOptions;
}

/** A button that opens a dialog explaining why a customer is or isn't in a segment. */
export function WhyButton(props: WhyProps) {
  return (
    <DialogButton class="why" kind="plain" dialog={(close) => <WhyDialog {...props} onClose={close} />}>
      {why.ask} <span class="unseen">{formatCustomerName(props.customer)}</span>
    </DialogButton>
  );
}

/** A dialog that explains why a customer is or isn't in a segment. */
export function WhyDialog({
  segment,
  customer,
  lists,
  onClose,
}: WhyProps & { readonly onClose: () => void }) {
  const loadedExplanation = useLoad(`${segment.slug} ${customer.id}`, (calls) =>
    calls.segments.explain(segment.slug, customer.id),
  );
  const name = formatCustomerName(customer);
  const title =
    loadedExplanation.value === null
      ? why.asked(name)
      : why.title(name, segment.name, loadedExplanation.value.matched);
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <Loading data={loadedExplanation} height="8rem">
        {(explanation) => <Explanation explanation={explanation} lists={lists} />}
      </Loading>
      <div class="actions">
        <Button text={why.close} onClick={onClose} />
      </div>
    </Dialog>
  );
}
