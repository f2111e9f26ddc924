import { z } from "zod";

const MAX_SIZE = 200;

/** A page number from 0, and a size of 50 unless given; a larger size than 200 is taken as 200. */
export const listQuery = {
  page: z.int().min(0).default(0),
  size: z
    .int()
    .min(1)
    .overwrite((size) => Math.min(size, MAX_SIZE))
    .default(50),
};

export const pageQuerySchema = z.object(listQuery);

export type PageQuery = z.input<typeof pageQuerySchema>;
