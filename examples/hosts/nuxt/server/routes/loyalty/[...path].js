export default defineEventHandler(async (event) => {
  const { api } = await openLoyalty();
  return api.fetch(toWebRequest(event));
});
