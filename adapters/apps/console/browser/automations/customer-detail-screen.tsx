import { hasScopes } from "../api/session.js";
import type { ScreenProps } from "../app/screen.js";
import { CustomerScreen } from "../customers/customer-screen.js";
import { CustomerSegments } from "../segments/customer-segments.js";
import { CustomerRuns } from "./customer-runs.js";

const readsRuns = ["automation:manage", "user:read", "user_tag:read", "pass:read"] as const;

/** The screen for one customer, including the customer's segments and automation runs. */
export function CustomerDetailScreen({ place }: ScreenProps) {
  return (
    <CustomerScreen
      place={place}
      beside={(customer) => (
        <>
          {hasScopes("segment:read") && <CustomerSegments customer={customer} />}
          {readsRuns.every((scope) => hasScopes(scope)) && <CustomerRuns userId={customer.id} />}
        </>
      )}
    />
  );
}
