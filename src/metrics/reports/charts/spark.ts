/** A line the size of a word: where a share came from. Readers of screens find its numbers in a table. */

import { markup, type Markup } from '../page/markup.ts'
import { tenths } from '../telling/numbers.ts'

const [width, height, edge] = [96, 22, 3]

/** Percent, ascending in time; fewer than two make no line. */
export function spark(shares: readonly (number | null)[]): Markup | undefined {
  const known = shares.flatMap((share, place) => (share === null ? [] : [{ share, place }]))
  const last = known.at(-1)
  if (known.length < 2 || last === undefined) return undefined
  const x = (place: number) => tenths(edge + (place / (shares.length - 1)) * (width - 2 * edge))
  const y = (share: number) => tenths(edge + (1 - share / 100) * (height - 2 * edge))
  const line = known.map(({ share, place }) => `${x(place)},${y(share)}`).join(' ')
  return markup`<svg class="spark" viewBox="0 0 ${width} ${height}" aria-hidden="true"><polyline class="line" points="${line}"/><circle class="accent" cx="${x(last.place)}" cy="${y(last.share)}" r="2.5"/></svg>`
}
