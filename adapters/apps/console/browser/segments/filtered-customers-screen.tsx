import type { ScreenProps } from "../app/screen.js";
import { CustomersScreen } from "../customers/customers-screen.js";
import { ActiveFilter } from "./active-filter.js";

/** The customer list, with a description of the active filter and a button that saves it as a segment. */
export function FilteredCustomersScreen({ place }: ScreenProps) {
  return <CustomersScreen place={place} narrowed={(props) => <ActiveFilter {...props} />} />;
}
