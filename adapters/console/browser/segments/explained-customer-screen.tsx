import { may } from "../api/session.js";
import type { ScreenProps } from "../app/screen.js";
import { CustomerScreen } from "../customers/customer-screen.js";
import { CustomerSegments } from "./customer-segments.js";

/** One customer, with why they are in a segment, or are not. */
export function ExplainedCustomerScreen({ place }: ScreenProps) {
  return (
    <CustomerScreen
      place={place}
      beside={(customer) => may("segment:read") && <CustomerSegments customer={customer} />}
    />
  );
}
