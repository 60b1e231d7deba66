/** A bar that fills as much of its track as a share is; the number stands beside it, so readers of screens pass it over. */

import { markup, type Markup } from '../page/markup.ts'

/** Percent. */
export const bar = (percentage: number | null, tone = 'accent'): Markup => {
  const width = Math.min(100, Math.max(0, percentage ?? 0))
  return markup`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="${tone}" width="${width}" height="8"/></svg>`
}
