import { isLoyaltyError } from "loyalty-kit";
import { openLoyalty } from "../loyalty.server.js";

export async function action({ request }) {
  const { card } = await request.json();
  const { loyalty } = await openLoyalty();
  try {
    return Response.json(await loyalty.organization("cafe").stamps.add(card));
  } catch (error) {
    throw isLoyaltyError(error) ? error.getResponse() : error;
  }
}
