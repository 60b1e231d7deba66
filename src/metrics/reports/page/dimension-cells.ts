/** The points of the five dimensions as cells of a row. */

import { dimensions, type Dimension } from '../../indicators.ts'
import type { Points } from '../points.ts'
import { dimensionWords } from '../telling/rules.ts'
import { markup, type Markup } from './markup.ts'
import { points } from './parts.ts'

/** Five whole words would be wider than what they stand above. */
const short: Readonly<Record<Dimension, string>> = {
  findability: 'Find',
  accessibility: 'Access',
  interoperability: 'Interop',
  reusability: 'Reuse',
  contextuality: 'Context',
}

export const dimensionHeads: readonly Markup[] = dimensions.map(
  (name) =>
    markup`<th scope="col" class="number"><abbr title="${dimensionWords[name].label}">${short[name]}</abbr></th>`,
)

export const dimensionCells = (values: Points): readonly Markup[] =>
  dimensions.map((name) => markup`<td class="number">${points(values[name])}</td>`)
