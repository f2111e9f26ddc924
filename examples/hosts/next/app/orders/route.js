import { isLoyaltyError } from "loyalty-kit";
import { openLoyalty } from "../../lib/loyalty.js";

export async function POST(request) {
  const { card } = await request.json();
  const { loyalty } = await openLoyalty();
  try {
    return Response.json(await loyalty.organization("cafe").stamps.add(card));
  } catch (error) {
    if (isLoyaltyError(error)) return error.getResponse();
    throw error;
  }
}
