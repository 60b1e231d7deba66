/** The 23 indicators of the Metadata Quality Assessment: property, most points, an example of what to write; and their table. */

import { readFileSync } from 'node:fs'
import { isJsonObject } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { listAt, listed } from '../record.ts'
import { qualityDimensions } from './quality.ts'
import { scrolling } from './table.ts'

type Dimension = (typeof qualityDimensions)[number]

export type PageIndicator = {
  readonly key: string
  readonly dimension: Dimension['key']
  readonly most: number
  readonly property?: string
  /** Turtle. */
  readonly example?: string
}

/** In the order of pages; every member is text but the points. */
export const pageIndicators: readonly PageIndicator[] = JSON.parse(
  readFileSync(new URL('../assets/indicators.json', import.meta.url), 'utf8'),
)

/** Shares of the indicators, 0 to 1, in what the metrics answer about a dataset or a catalogue; of one that was not measured none. */
export function indicatorShares(result: unknown): (indicator: string) => number | undefined {
  // Dates are told apart for the dataset and its distributions.
  const parts = qualityDimensions
    .flatMap(({ key }) => listAt(result, key))
    .flatMap((one) => [one, ...listAt(one, 'dataset')])
  const values = new Map(parts.flatMap((part) => Object.entries(part)))
  return (indicator) => shareOf(values.get(indicator))
}

function shareOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value)
  const entries = listed(value).filter(isJsonObject)
  if (entries.length === 0) return undefined
  const good = entries.filter(
    ({ name }) => name === 'yes' || /^[23]\d\d$/.test(typeof name === 'string' ? name : ''),
  )
  return good.reduce((sum, { percentage }) => sum + Number(percentage) / 100, 0)
}

type IndicatorTable<T extends PageIndicator> = {
  readonly rows: readonly T[]
  /** Texts of the columns behind the property; the last one has numbers. */
  readonly heads: readonly string[]
  readonly cells: (row: T) => readonly HtmlContent[]
  /** What a dimension has earned, where the last column is about that. */
  readonly sum?: (dimension: Dimension) => HtmlContent
}

/** Indicators by dimension, in a section with the id `all`. */
export function indicatorTable<T extends PageIndicator>(
  { t }: PageContext,
  { rows, heads, cells, sum }: IndicatorTable<T>,
): HtmlMarkup {
  const number = (at: number) => at === heads.length - 1 && html` class="num"`
  const bodies = qualityDimensions.map((dimension) => {
    const { key } = dimension
    const own = rows.filter((row) => row.dimension === key)
    const lines = own.map(
      (row) => html`<tr><th scope="row">${t(`indicator-${row.key}`)}</th>
        <td>${row.property !== undefined && html`<code>${row.property}</code>`}</td>
        ${cells(row).map((cell, at) => html`<td${number(at)}>${cell}</td>`)}</tr>`,
    )
    return html`<tbody><tr><th scope="rowgroup" id="${key}" colspan="3">${t(key)}</th>
      ${sum && html`<td class="num group-sum">${sum(dimension)}</td>`}</tr>${lines}</tbody>`
  })
  return scrolling(
    t('all-indicators'),
    html`<table class="table indicators"><thead><tr>
      <th scope="col">${t('indicator')}</th><th scope="col">${t('property')}</th>
      ${heads.map((key, at) => html`<th scope="col"${number(at)}>${t(key)}</th>`)}</tr></thead>${bodies}</table>`,
  )
}
