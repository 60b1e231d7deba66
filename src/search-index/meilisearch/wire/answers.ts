/** Answers as they are expected. */

import type { z } from 'zod'
import { away } from './failures.ts'

/** What is read of an answer. Throws `engine-unavailable` when it is another one: that is not the server we know. */
export function expected<Shape>(shape: z.ZodType<Shape>, answer: unknown): Shape {
  const read = shape.safeParse(answer)
  if (read.success) return read.data
  throw away('The search engine answered something unexpected.', read.error)
}
