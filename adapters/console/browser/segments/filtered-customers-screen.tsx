import type { ScreenProps } from "../app/screen.js";
import { CustomersScreen } from "../customers/customers-screen.js";
import { ActiveFilter } from "./active-filter.js";

/** The customers, with whom a filter lists in words, and what keeps it as a segment. */
export function FilteredCustomersScreen({ place }: ScreenProps) {
  return <CustomersScreen place={place} narrowed={(props) => <ActiveFilter {...props} />} />;
}
